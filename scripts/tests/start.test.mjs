// scripts/start.mjs checks folders before anything is built or started.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const START = fileURLToPath(new URL('../start.mjs', import.meta.url));

/** Runs the script in a temporary folder. */
function check(...folders) {
  const cwd = mkdtempSync(join(tmpdir(), 'ledge-start-'));
  try {
    return spawnSync(process.execPath, [START, 'check', ...folders], { cwd, encoding: 'utf8' });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

test('folders that are there are fine', () => {
  const { status, stderr } = check(tmpdir());
  assert.deepEqual([status, stderr], [0, '']);
});

test('one that is none is named', () => {
  const { status, stderr } = check(tmpdir(), join(tmpdir(), 'no such folder'));
  assert.notEqual(status, 0);
  assert.match(stderr, /no such folder is not a folder/);
});
