// Every test that docs/proof.md names exists.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../parts.mjs';

test('every test that the page of proof names is in its file', () => {
  const rows = readFileSync(join(root, 'docs/proof.md'), 'utf8').split('\n').filter((line) => line.startsWith('|'));
  const missing = [];
  let named = 0;
  for (const [, path, list] of rows.join('\n').matchAll(/`([\w/.-]+\.(?:rs|mjs|ts))`: ((?:`[^`]+`(?:, )?)+)/g)) {
    const text = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
    for (const [, name] of list.matchAll(/`([^`]+)`/g)) {
      named += 1;
      const is = path.endsWith('.rs') ? text.includes(`fn ${name}(`) : text.includes(`('${name}'`);
      if (!is) missing.push(`${path}: ${name}`);
    }
  }
  assert.deepEqual(missing, []);
  assert.ok(named > 60, `only ${named} tests are named`);
});
