// scripts/structure.mjs counts lines and entries of sources that are written for each test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXEMPT, LIMITS, functions, problems, read } from '../structure.mjs';
import { root } from '../parts.mjs';

const lines = (count) => 'x\n'.repeat(count);
const body = (count) => `fn long() {\n${'    x();\n'.repeat(count - 2)}}\n`;
const found = (sources, exempt = {}) => problems(new Map(Object.entries(sources)), exempt);

test('a file has a limit of lines, unless it is a page or data', () => {
  const most = LIMITS.file;
  assert.deepEqual(found({ 'a.rs': lines(most), 'b.md': lines(9_999), 'c.json': lines(9_999) }), []);
  assert.deepEqual(found({ 'web/a.ts': lines(most + 1) }), [`web/a.ts: ${most + 1} lines, at most ${most}`]);
});

test('a Rust function has a limit of lines', () => {
  const most = LIMITS.function;
  assert.deepEqual(found({ 'a.rs': body(most) }), []);
  assert.deepEqual(found({ 'a.rs': body(most + 1) }), [`a.rs: long: ${most + 1} lines, at most ${most}`]);
  assert.deepEqual(found({ 'a.mjs': body(most + 1) }), []);
});

test('a function ends at its own brace', () => {
  const source = [
    'impl A {',
    '    pub(crate) async fn first(',
    '        &self,',
    '    ) -> Result<()>',
    '    where',
    '        A: B,',
    '    {',
    '        fn inner() {}',
    '        if x {',
    '            y();',
    '        }',
    '    }',
    '',
    '    fn declared(',
    '        &self,',
    '    ) -> u8;',
    '}',
    'const fn last() {}',
  ].join('\n');
  assert.deepEqual(functions(source), [
    { name: 'first', lines: 11 },
    { name: 'inner', lines: 1 },
    { name: 'declared', lines: 3 },
    { name: 'last', lines: 1 },
  ]);
});

test('a folder has a limit of visible entries; a folder in it counts once', () => {
  const most = LIMITS.folder;
  const files = Object.fromEntries(Array.from({ length: most }, (_, at) => [`a/${at}.rs`, '']));
  assert.deepEqual(found({ ...files, 'a/.hidden': '', 'a/.b/c': '' }), []);
  assert.deepEqual(found({ ...files, 'a/b/c.rs': '', 'a/b/d.rs': '' }), [`a/: ${most + 1} entries, at most ${most}`]);
  const top = Object.fromEntries(Array.from({ length: most + 1 }, (_, at) => [`${at}.rs`, '']));
  assert.deepEqual(found(top), [`./: ${most + 1} entries, at most ${most}`]);
});

test('an exemption permits its subject only, and is reported when it is not needed', () => {
  const sources = { 'a.rs': body(LIMITS.function + 1), 'b.ts': lines(LIMITS.file + 1) };
  assert.deepEqual(found(sources, { 'a.rs: long': 'a reason', 'b.ts': 'a reason' }), []);
  assert.deepEqual(found({}, { 'b.ts': 'a reason' }), ['b.ts: is exempt without need']);
});

test('every exemption has a reason, and ignored files are not read', () => {
  for (const [subject, reason] of Object.entries(EXEMPT)) assert.ok(reason.length > 10, subject);
  const paths = [...read(root).keys()];
  assert.ok(paths.includes('scripts/structure.mjs') && !paths.some((path) => path.includes('node_modules/')));
});
