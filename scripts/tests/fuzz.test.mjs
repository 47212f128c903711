// scripts/fuzz.mjs passes seeds to the targets of tests/fuzz/.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { TARGETS, figures, seed } from '../fuzz.mjs';

const FUZZ = new URL('../../tests/fuzz/', import.meta.url);

test('every target is run, and is built', () => {
  const written = readdirSync(new URL('fuzz_targets', FUZZ)).map((name) => name.replace(/\.rs$/, ''));
  const manifest = readFileSync(new URL('Cargo.toml', FUZZ), 'utf8');
  const built = [...manifest.matchAll(/^name = "(?!ledge-)(.+)"$/gm)].map(([, name]) => name);
  assert.deepEqual(Object.keys(TARGETS).sort(), written.sort());
  assert.deepEqual(built.sort(), written);
});

test('a seed of a target that chooses a format begins with the place of its own', () => {
  const { extensions } = TARGETS.audio;
  assert.deepEqual([...seed(TARGETS.audio, 'a/One.WAV', Buffer.from('RIFF'))], [
    extensions.indexOf('wav'),
    ...Buffer.from('RIFF'),
  ]);
  assert.equal(String(seed(TARGETS.epub, 'a/book.epub', Buffer.from('PK'))), 'PK');
});

test('what is of another format, or large, is no seed', () => {
  assert.equal(seed(TARGETS.epub, 'a/book.pdf', Buffer.from('PK')), null);
  assert.equal(seed(TARGETS.epub, 'a/book.epub', Buffer.alloc(1 << 20)), null);
});

test('the figures are those of the end', () => {
  const said = [
    '#2\tINITED cov: 90 ft: 91 corp: 1/4b exec/s: 0 rss: 40Mb',
    '#512\tNEW    cov: 1204 ft: 1301 corp: 2/8b exec/s: 0 rss: 41Mb',
    'stat::number_of_executed_units: 31337',
    'stat::slowest_unit_time_sec:    1',
    'stat::peak_rss_mb:              88',
  ].join('\n');
  assert.deepEqual(figures(said), { inputs: 31337, slowest: 1, memory: 88, covered: 1204 });
});
