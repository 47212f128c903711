// scripts/book/links.mjs processes the pages of a book.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whole } from '../book/links.mjs';

const outside = { '/project/MAP.md': '# Map\n\n[rules](RULES.md#one), [a page](docs/deep/page.md), `[code](RULES.md)`\n' };

function made(...chapters) {
  whole(chapters, '/project/docs', (path) => outside[path] ?? '');
  return chapters.map((chapter) => chapter.content);
}

test('a page takes in the one that it names, whose links lead to the same places', () => {
  const [map] = made(
    { path: 'map.md', content: '# Map\n\nIt is [there](../MAP.md).\n\n<!-- include ../MAP.md -->\n' },
    { path: 'rules.md', content: '<!-- include ../RULES.md -->' },
  ).map(String);
  assert.equal(map, '# Map\n\n[rules](rules.md#one), [a page](deep/page.md), `[code](RULES.md)`\n');
});

test('links to what a page took in lead to that page, from any folder', () => {
  const [, page] = made(
    { path: 'map.md', content: '<!-- include ../MAP.md -->' },
    { path: 'deep/page.md', content: 'See [the `map`](../../MAP.md#map) and [itself](#here).\n' },
  );
  assert.equal(page, 'See [the `map`](../map.md#map) and [itself](#here).\n');
});

test('links that lead out of the book become words, others stay', () => {
  const [page] = made({ path: 'a.md', content: '[The file](../Dockerfile), [b](b.md), [out](https://example.org)\n' });
  assert.equal(page, 'The file, [b](b.md), [out](https://example.org)\n');
});
