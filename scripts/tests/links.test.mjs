// scripts/links.mjs checks pages that are written for each test.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { problems } from '../links.mjs';
import { anchors } from '../markdown.mjs';

const whole = {
  'README.md': '# Top\n\n![A picture](docs/a.png) and [a page](docs/one.md#the-first-thing).\n',
  'docs/a.png': '',
  'docs/SUMMARY.md': '- [One](one.md)\n- [Two](deep/two.md)\n',
  'docs/one.md': '# One\n\n## The `first` thing\n\n[above](#one), [two](deep/two.md), [out](https://example.org/x#y)\n',
  'docs/deep/two.md': '# Two\n\n[back](../one.md)\n',
};

function found(files) {
  const folder = mkdtempSync(join(tmpdir(), 'ledge-links-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return problems(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('pages whose links all lead somewhere are left in peace', () => {
  assert.deepEqual(found(whole), []);
});

test('a link to a file that is not there is found, with its line', () => {
  const lines = found({ ...whole, 'docs/one.md': '# One\n\n## The first thing\n\n[gone](three.md)\n' });
  assert.deepEqual(lines, ['docs/one.md:5: three.md: there is no such file']);
});

test('a link to a heading that is not there is found, here and on another page', () => {
  const lines = found({ ...whole, 'docs/deep/two.md': '# Two\n\n[a](#three) [b](../one.md#last-thing)\n' });
  assert.deepEqual(lines, [
    'docs/deep/two.md:3: #three: there is no such heading',
    'docs/deep/two.md:3: ../one.md#last-thing: there is no such heading',
  ]);
});

test('a page that the summary leaves out is found, and one that it names twice', () => {
  assert.deepEqual(found({ ...whole, 'docs/three.md': '# Three\n' }), [
    'docs/three.md: is not in docs/SUMMARY.md',
  ]);
  const twice = '- [One](one.md)\n- [Two](deep/two.md)\n- [Again](one.md)\n';
  assert.deepEqual(found({ ...whole, 'docs/SUMMARY.md': twice }), ['docs/SUMMARY.md: one.md: is listed twice']);
});

test('a picture that is not there is found, in Markdown, in HTML and by reference', () => {
  const page = '# Top\n\n![x](a.png) <img src="b.png">\n\n[c]: c.png\n[one](docs/one.md#the-first-thing)\n';
  assert.deepEqual(found({ ...whole, 'README.md': page }), [
    'README.md:3: a.png: there is no such file',
    'README.md:3: b.png: there is no such file',
    'README.md:5: c.png: there is no such file',
  ]);
});

test('what is outside of the project, or from the root of a disk, is found', () => {
  assert.deepEqual(found({ ...whole, 'README.md': '# Top\n[a](../x.md) [b](/docs/one.md)\n' }), [
    'README.md:2: ../x.md: is outside of the project',
    'README.md:2: /docs/one.md: links are relative',
  ]);
});

test('links in code are none', () => {
  const page = '# Top\n\n`[a](b.md)` and ``[`a`](b.md)``\n\n```md\n[a](b.md)\n# No heading\n```\n';
  assert.deepEqual(found({ ...whole, 'README.md': page }), []);
  assert.deepEqual([...anchors(page)], ['top']);
});

test('headings of one name are told apart', () => {
  const names = [...anchors('# Same\n## Same\n### `LEDGE_LISTEN`, and: "more"\n<a id="own"></a>\n')];
  assert.deepEqual(names, ['same', 'same-1', 'ledge_listen-and-more', 'own']);
});

test('the command fails where something is wrong, and says nothing where all is well', () => {
  const script = fileURLToPath(new URL('../links.mjs', import.meta.url));
  assert.equal(execFileSync('node', [script], { encoding: 'utf8' }), '');
  const folder = mkdtempSync(join(tmpdir(), 'ledge-links-'));
  writeFileSync(join(folder, 'README.md'), '[a](b.md)\n');
  const { status, stderr } = spawnSync('node', [script, folder], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  assert.equal(status, 1);
  assert.match(stderr, /README\.md:1: b\.md: there is no such file/);
});
