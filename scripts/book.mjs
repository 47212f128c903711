// A preprocessor of mdBook, for docs/book.toml. A page takes in one that lies outside of docs/ by
// the comment `<!-- include ../ARCHITECTURE.md -->`; links to that one then lead to the page, and
// other links that lead out of docs/ become plain text.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isElsewhere, withoutCode } from './markdown.mjs';

const INCLUDE = /^<!-- include (\S+) -->$/m;

/** The chapters of a book with everything taken in and untied. `docs` is the book's folder. */
export function whole(chapters, docs, read = (path) => readFileSync(path, 'utf8')) {
  const taken = new Map();
  for (const chapter of chapters) {
    const found = INCLUDE.exec(chapter.content)?.[1];
    if (found) taken.set(resolve(docs, dirname(chapter.path), found), chapter.path);
  }
  for (const chapter of chapters) {
    const found = INCLUDE.exec(chapter.content)?.[1];
    const page = join(docs, chapter.path);
    const source = found ? resolve(dirname(page), found) : page;
    const text = found ? read(source) : chapter.content;
    chapter.content = untied(text, dirname(source), dirname(page), docs, taken);
  }
}

/** The text with its links as they have to be in a page of `to`, when they were written in `from`. */
function untied(text, from, to, docs, taken) {
  const prose = withoutCode(text);
  const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
  const edits = [...prose.matchAll(link)].flatMap((match) => {
    const [all, bang, , target] = match;
    if (isElsewhere(target) || target.startsWith('#')) return [];
    const [place, anchor] = target.split('#');
    const path = resolve(from, place);
    const inside = taken.has(path) ? join(docs, taken.get(path)) : path.startsWith(docs + sep) ? path : null;
    const words = text.slice(match.index + bang.length + 1, match.index + all.indexOf(`](${target})`));
    if (inside === null) return [{ at: match.index, all, now: words }];
    const moved = `${relative(to, inside)}${anchor === undefined ? '' : `#${anchor}`}`;
    return [{ at: match.index, all, now: `${bang}[${words}](${moved})` }];
  });
  return edits.reverse().reduce((now, edit) => now.slice(0, edit.at) + edit.now + now.slice(edit.at + edit.all.length), text);
}

/** Every chapter of mdBook's tree, in this version's form and the one before. */
function chaptersOf(items) {
  return items.flatMap(({ Chapter: chapter }) => (chapter ? [chapter, ...chaptersOf(chapter.sub_items)] : []));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // `supports RENDERER`: this is for all of them.
  if (process.argv[2] === 'supports') process.exit(0);
  const [context, book] = JSON.parse(readFileSync(0, 'utf8'));
  const chapters = chaptersOf(book.items ?? book.sections).filter((chapter) => chapter.path);
  whole(chapters, resolve(context.root, context.config.book.src));
  process.stdout.write(JSON.stringify(book));
}
