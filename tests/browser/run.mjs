/**
 * Runs the browser tests, one file at a time. A file with a failure runs once more, because a browser on a machine with
 * two busy cores can crash or stall. A second failure is final.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

async function passes(name) {
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', join(folder, name)], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  return code === 0;
}

const names = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.test.mjs'))
  .sort();
const failed = [];
for (const name of names) if (!(await passes(name))) failed.push(name);

const again = [];
for (const name of failed) {
  console.error(`\n${name} failed and is run once more.`);
  again.push({ name, passed: await passes(name) });
}
for (const { name, passed } of again)
  console.error(`${name} failed ${passed ? 'once, and passed the second time' : 'twice'}.`);
if (again.some(({ passed }) => !passed)) process.exitCode = 1;
