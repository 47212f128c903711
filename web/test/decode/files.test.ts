import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compile, type Build } from './play';

const file = (name: string) => readFileSync(join(import.meta.dirname, '../../av', name));
const BUILDS: [Build, number][] = [
  ['sound', 1.0],
  ['full', 2.8],
];

test('the committed files have the hashes of hashes.txt', () => {
  const lines = BUILDS.map(
    ([build]) =>
      `${createHash('sha256')
        .update(file(`${build}.wasm`))
        .digest('hex')}  ${build}.wasm\n`,
  );
  expect(file('hashes.txt').toString()).toBe(lines.join(''));
});

test.each(BUILDS)('the build %s is at most %d MB compressed', (build, limit) => {
  expect(gzipSync(file(`${build}.wasm`), { level: 9 }).length).toBeLessThanOrEqual(limit * 1e6);
});

test.each(BUILDS)('the build %s imports only what the worker offers', async (build) => {
  const imports = WebAssembly.Module.imports(await compile(build));
  const ours = imports.filter(({ module }) => module === 'worker').map(({ name }) => name);
  const known = ['bytes', 'cue', 'cue_picture', 'font', 'picture', 'read'];
  expect(ours.filter((name) => !known.includes(name))).toEqual([]);
  const others = imports.filter(({ module }) => module !== 'worker' && module !== 'wasi_snapshot_preview1');
  expect(others.map(({ name }) => name)).toEqual(['emscripten_notify_memory_growth']);
});
