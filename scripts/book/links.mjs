// Preprocessor of mdBook, for docs/book.toml. A page includes a page outside of docs/ with the comment `<!--
// include ../ARCHITECTURE.md -->`. Links to the included page then lead to the including one. Other links out
// of docs/ become plain text.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isElsewhere, withoutCode } from '../markdown.mjs';

const INCLUDE = /^<!-- include (\S+) -->$/m;

/** Returns the chapters of a book with all inclusions resolved. `docs` is the book's folder. */
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

/** Returns the text with links adjusted for the page `to`, if they were written in `from`. */
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

/** Returns every chapter of mdBook's tree, in this version's format and the previous one. */
function chaptersOf(items) {
  return items.flatMap(({ Chapter: chapter }) => (chapter ? [chapter, ...chaptersOf(chapter.sub_items)] : []));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // `supports RENDERER`: every renderer is supported.
  if (process.argv[2] === 'supports') process.exit(0);
  const [context, book] = JSON.parse(readFileSync(0, 'utf8'));
  const chapters = chaptersOf(book.items ?? book.sections).filter((chapter) => chapter.path);
  whole(chapters, resolve(context.root, context.config.book.src));
  process.stdout.write(JSON.stringify(book));
}
