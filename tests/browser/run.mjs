/**
 * Runs the browser tests. Tests mostly wait, so two files run at once, except those that depend on the speed of the
 * machine. A file with a failure runs once more, alone, because a browser on a machine with two busy cores can crash or
 * stall. A second failure is final.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Files at once. */
const LANES = Math.min(2, availableParallelism());
/** Files that play much, count frames, or measure memory. */
const ALONE = /^viewers[\\/](audio|video|game|frame)|^pages[\\/]memory|^organise[\\/](queue|shows)/;
/** Milliseconds after which a file counts as failed. The longest takes ten minutes on a busy machine. */
const LIMIT = 30 * 60 * 1000;

/** Output of running files, by their names. */
const outputs = new Map();

function print(name) {
  for (const bytes of outputs.get(name)) process.stdout.write(bytes);
  outputs.delete(name);
}
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
])
  process.on(signal, () => {
    for (const name of [...outputs.keys()]) print(name);
    process.exit(code);
  });

/** Runs a file. Prints its output as a whole, so that the outputs of two files do not mix. */
async function passes(name) {
  const begin = performance.now();
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', join(folder, name)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LIMIT,
  });
  outputs.set(name, []);
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => outputs.get(name)?.push(bytes));
  const [code] = await once(child, 'close');
  print(name);
  console.log(`${name}: ${Math.round((performance.now() - begin) / 1000)} s`);
  return code === 0;
}

/** Runs files, several at once, and returns the names of those with a failure. */
async function failuresOf(names, lanes) {
  const waiting = [...names];
  const failed = [];
  const work = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      if (!(await passes(name))) failed.push(name);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return failed;
}

const names = (await readdir(folder, { recursive: true }))
  .filter((name) => name.endsWith('.test.mjs'))
  .sort();
const failed = [
  ...(await failuresOf(
    names.filter((name) => !ALONE.test(name)),
    LANES,
  )),
  ...(await failuresOf(
    names.filter((name) => ALONE.test(name)),
    1,
  )),
];

const again = [];
for (const name of failed) {
  console.error(`\n${name} failed and is run once more.`);
  again.push({ name, passed: await passes(name) });
}
for (const { name, passed } of again)
  console.error(`${name} failed ${passed ? 'once, and passed the second time' : 'twice'}.`);
if (again.some(({ passed }) => !passed)) process.exitCode = 1;
