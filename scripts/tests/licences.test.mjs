// scripts/parts.mjs chooses licences, and scripts/licences.mjs writes them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { files } from '../licences.mjs';
import { choice, isCompatible } from '../parts.mjs';

test('of licences to choose from, the shortest terms are taken', () => {
  assert.deepEqual(choice('Apache-2.0 OR MIT'), ['MIT']);
  assert.deepEqual(choice('(Apache-2.0 OR MIT) AND BSD-3-Clause'), ['MIT', 'BSD-3-Clause']);
  assert.deepEqual(choice('Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT'), ['MIT']);
  assert.deepEqual(choice('Unlicense OR MIT'), ['MIT']);
});

test('terms that bind more than the GPL are refused', () => {
  for (const licence of ['MIT', 'MPL-2.0', 'GPL-2.0-or-later', 'MIT OR Proprietary', 'Apache-2.0 AND ISC']) {
    assert.ok(isCompatible(licence), licence);
  }
  for (const licence of ['GPL-2.0-only', 'CC-BY-NC-4.0', 'MIT AND Proprietary', 'Non-commercial use only']) {
    assert.ok(!isCompatible(licence), licence);
  }
});

test('every part of the page has its text in the other file', () => {
  const { 'docs/licences.md': page, 'web/public/licences.txt': texts } = files();
  const rows = page.slice(page.indexOf('## The web interface')).matchAll(/^\| \[?([\w@/.-]+)\]?[^|]* \| (\d[\w.+-]*) \|/gm);
  const missing = [...rows].filter(([, name, version]) => !texts.includes(`\n${name} ${version}\n`));
  assert.deepEqual(missing.map(([row]) => row), []);
  for (const name of ['fflate, in foliate-js', 'zip.js, in foliate-js', 'Foxit fonts, in hayro-font']) {
    assert.ok(texts.includes(`\n${name}\n`), name);
  }
  assert.match(texts, /GNU GENERAL PUBLIC LICENSE/);
});
