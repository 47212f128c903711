// scripts/prose.mjs measures comments, pages and texts that are written for each test.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ALLOWED, banned, check, comments, percentile, questions, sentences, texts, unreleased, webComments } from '../prose.mjs';

const project = {
  'README.md': '# Top\n\nLedge scans folders.\n',
  'ARCHITECTURE.md': '# Map\n',
  'CONTRIBUTING.md': '# Rules\n',
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n- Scans are faster.\n',
  'docs/SUMMARY.md': '- [One](one.md)\n',
  'docs/one.md': '# One\n',
  'core/src/lib.rs': '//! Library of the core.\n\n/// Returns one.\npub fn one() {}\n',
  'web/src/i18n/en.ts': "export const en = {\n  save: 'Save',\n};\n",
};

function inProject(files, use) {
  const folder = mkdtempSync(join(tmpdir(), 'ledge-prose-'));
  try {
    for (const [name, text] of Object.entries({ ...project, ...files })) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const violations = (files) => inProject(files, (folder) => check(folder).violations);
const words = (n) => `Word${' word'.repeat(n - 1)}.`;

test('project_without_violations_passes', () => {
  assert.deepEqual(violations({}), []);
});

test('comments_of_source_have_blocks_with_first_lines', () => {
  const source = '//! A.\n//! B.\n\n/// C.\nfn f() {\n    // D.\n    g(); // E.\n    let url = "http://x";\n}\n//// F.\n';
  const found = comments(source).map(({ isDoc, line, lines }) => [isDoc, line, lines.join(' ')]);
  assert.deepEqual(found, [
    [true, 1, 'A. B.'],
    [true, 4, 'C.'],
    [false, 6, 'D.'],
    [false, 7, 'E.'],
  ]);
});

test('doc_comment_that_begins_with_question_word_is_counted', () => {
  const { count, found } = questions('/// What it is.\nfn a() {}\n/// Whatever.\nfn b() {}\n// Why not.\n/// Reads.\n/// What?\nfn c() {}\n');
  assert.equal(count, 3);
  assert.deepEqual(found.map(({ line }) => line), [1]);
});

test('share_of_question_words_above_limit_fails_with_each_place', () => {
  const fine = '/// Reads.\nfn a() {}\n';
  const below = violations({ 'core/src/lib.rs': `${fine.repeat(49)}/// How it is.\nfn b() {}\n` });
  assert.deepEqual(below, []);
  const above = violations({ 'core/src/lib.rs': `${fine.repeat(48)}/// How it is.\nfn b() {}\n` });
  assert.deepEqual(above, ['core/src/lib.rs:97: begins with a question word: How it is.']);
});

test('sentences_end_at_full_stops_and_not_at_abbreviations_or_numbers', () => {
  const found = sentences('One e.g. two. Version 1.95 is here! Is it? `Code` follows.\n');
  assert.deepEqual(found.map(({ text }) => text), ['One e.g. two.', 'Version 1.95 is here!', 'Is it?', '`…` follows.']);
});

test('sentence_counts_links_by_text_and_code_as_one_word', () => {
  const [only] = sentences('See [the long page](docs/a-b.md) with `make run MEDIA="x y"` and ![a picture](p.png) – now.\n');
  assert.equal(only.words, 8);
});

test('sentence_in_second_line_of_paragraph_has_its_line', () => {
  const found = sentences('# Top\n\nFirst one\nends here. Second\none.\nThird.\n');
  assert.deepEqual(found.map(({ line }) => line), [1, 3, 4, 6]);
});

test('cells_items_and_headings_are_texts_and_code_is_not', () => {
  const page = '# Top\n\n| a b | c |\n|---|---|\n| d | e |\n\n- one\n  more\n- two\n1. three\n\n```sh\nnot this\n```\n<!-- nor\nthis -->\nlast\n';
  const found = texts(page).map(({ line, text }) => `${line} ${text.replace('\n', ' ')}`);
  assert.deepEqual(found, ['1 Top', '3 a b', '3 c', '5 d', '5 e', '7 one more', '9 two', '10 three', '17 last']);
});

test('percentile_is_nearest_rank', () => {
  assert.equal(percentile([5, 1, 4, 2, 3, 6, 7, 8, 9, 10], 0.9), 9);
  assert.equal(percentile([], 0.9), 0);
});

test('sentence_above_limit_fails_with_its_place', () => {
  const short = `${words(10)}\n\n`.repeat(20);
  assert.deepEqual(violations({ 'docs/one.md': short + words(40) }), []);
  const [found, ...others] = violations({ 'docs/one.md': short + words(41) });
  assert.match(found, /^docs\/one\.md:41: 41 words: Word word/);
  assert.deepEqual(others, []);
});

test('many_long_sentences_fail_by_percentile', () => {
  const found = violations({ 'docs/one.md': `${words(25)}\n\n`.repeat(20) });
  assert.deepEqual(found, ['pages: the 90th percentile of sentence lengths is 25 words']);
});

test('changelog_is_measured_in_its_unreleased_section_only', () => {
  const log = `# Log\n\n## Unreleased\n\n- New.\n\n## 0.1.0\n\n- ${words(60)}\n`;
  assert.equal(unreleased(log), '\n\n## Unreleased\n\n- New.\n\n\n\n\n');
  assert.deepEqual(violations({ 'CHANGELOG.md': log }), []);
  assert.equal(violations({ 'CHANGELOG.md': log.replace('0.1.0', 'Unreleased') }).length, 1);
});

test('page_of_licences_is_not_measured', () => {
  assert.deepEqual(violations({ 'docs/licences.md': words(60) }), []);
});

test('banned_words_are_found_in_comments_pages_and_texts', () => {
  const found = violations({
    'core/src/lib.rs': '/// Returns one.\nfn a() {}\n// Read anew.\nlet anew = "anew"; // Whoever asks.\n',
    'docs/one.md': '# One\n\nNobody is told.\n',
    'web/src/i18n/en.ts': "export const en = {\n  'saves.anew': 'Start anew',\n  'a.anew': 'Start',\n};\n",
    'web/src/i18n/de.ts': "export const de = {\n  a: 'Ein Newcomer',\n};\n",
  });
  assert.deepEqual(found, [
    'core/src/lib.rs:3: "anew": write again',
    'core/src/lib.rs:4: "Whoever": write the user, the client, the caller',
    'docs/one.md:3: "Nobody": write a user, no user',
    'docs/one.md:3: "told": write returns, shows, distinguishes',
    'web/src/i18n/en.ts:2: "anew": write again',
  ]);
});

test('banned_words_are_found_in_comments_of_scripts_and_configuration', () => {
  const found = violations({
    'scripts/a.mjs': '/** Whoever asks. */\nconst anew = "anew";\n/**\n * Read anew.\n */\n',
    'docs/examples/a.service': '# Nobody waits.\nExecStart=anew\n',
    Makefile: 'all: # anew\n# Runs it anew.\n',
  });
  assert.deepEqual(found, [
    'Makefile:2: "anew": write again',
    'docs/examples/a.service:1: "Nobody": write a user, no user',
    'scripts/a.mjs:1: "Whoever": write the user, the client, the caller',
    'scripts/a.mjs:4: "anew": write again',
  ]);
});

test('comments_of_web_sources_have_blocks_without_tags_and_directives', () => {
  const source = [
    '/** A. */',
    '// B.',
    '// C.',
    "const url = 'http://x'; // D.",
    '/**',
    ' * E.',
    ' * @param {string} name F.',
    ' */',
    '<!-- svelte-ignore a11y -->',
    '<!-- G. -->',
  ].join('\n');
  const found = webComments(source).map(({ isDoc, line, lines }) => [isDoc, line, lines.join(' ').trim().replace(/ +/g, ' ')]);
  assert.deepEqual(found, [
    [true, 1, 'A.'],
    [false, 2, 'B. C.'],
    [false, 4, 'D.'],
    [true, 5, 'E. F.'],
    [false, 10, 'G.'],
  ]);
});

test('comments_of_web_sources_are_measured', () => {
  const found = violations({
    'web/src/a.ts': `/** What it does. */\nconst a = 1; // Read anew.\n// ${words(41)}\n`,
    'web/src/B.svelte': '<script>\n  /**\n   * Nobody waits.\n   */\n</script>\n',
    'web/src/generated.d.ts': '/** Whether. */\n',
    'tests/browser/c.test.mjs': '/** Whether it works. */\n',
  });
  assert.deepEqual(found, [
    'web/src/B.svelte:3: "Nobody": write a user, no user',
    'web/src/a.ts:1: begins with a question word: What it does.',
    'web/src/a.ts:2: "anew": write again',
    `web/src/a.ts:3: 41 words: ${words(41)}`,
    'tests/browser/c.test.mjs:1: begins with a question word: Whether it works.',
  ]);
});

test('banned_words_in_code_are_allowed', () => {
  const files = { 'core/src/lib.rs': '/// Runs [`ledge aside`](Self::aside).\nfn a() {}\n', 'docs/one.md': '`core/src/aside.rs`\n\n```\naside\n```\n' };
  assert.deepEqual(violations(files), []);
});

test('usual_english_with_no_is_allowed', () => {
  for (const text of ['There is no such file.', 'It is no longer here.', 'It stands for one.', 'a bearer token', 'besides']) {
    assert.deepEqual(banned(text, 'docs/one.md'), [], text);
  }
  for (const text of ['It is no file.', 'it bears a name', 'stands back']) {
    assert.notDeepEqual(banned(text, 'docs/one.md'), [], text);
  }
});

test('allowed_texts_state_path_expression_and_reason', () => {
  for (const [path, pattern, reason] of ALLOWED) {
    assert.ok(typeof path === 'string' && pattern instanceof RegExp && reason.length > 10, path);
  }
});

test('command_prints_figures_and_fails_with_violations', () => {
  const script = fileURLToPath(new URL('../prose.mjs', import.meta.url));
  const run = (files, ...options) =>
    inProject(files, (folder) => spawnSync('node', [script, ...options, folder], { encoding: 'utf8' }));
  const good = run({});
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /0 of 2 doc comments \(0\.0 %\)/);
  const bad = run({ 'README.md': 'Read anew.\n' });
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /README\.md:1: "anew": write again\nprose: 1 violations/);
  const long = run({ 'README.md': `${words(30)}\n` }, '--sentences');
  assert.match(long.stdout, /README\.md:1: 30 words: Word/);
});
