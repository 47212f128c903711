/** Full-text search in a book, chapter by chapter, with results as they are found. */
import { searchMatcher } from 'foliate-js/search.js';
import { textWalker } from 'foliate-js/text-walker.js';
import type { Book } from './book';

export interface Hit {
  /** Address of the match. */
  key: string;
  index: number;
  pre: string;
  match: string;
  post: string;
}

export const MOST = 500;
const CONTEXT = 60;
const BLOCK = 'p, li, dd, dt, blockquote, td, figcaption, h1, h2, h3, h4, h5, h6, div, section, body';

export async function* find(
  book: Book,
  query: string,
  cfiOf: (index: number, range: Range) => string,
  signal: AbortSignal,
): AsyncGenerator<{ hits: Hit[]; share: number }> {
  const language = [book.metadata?.language ?? []].flat()[0] ?? 'en';
  const matcher = searchMatcher(textWalker, { defaultLocale: language });
  let left = MOST;
  for (const [index, section] of book.sections.entries()) {
    if (signal.aborted || left <= 0) return;
    const document = await section.createDocument?.();
    const hits: Hit[] = [];
    for (const { range } of document ? matcher(document, query) : []) {
      hits.push({ ...around(range), index, key: cfiOf(index, range) });
      left -= 1;
      if (left <= 0) break;
    }
    yield { hits, share: (index + 1) / book.sections.length };
    await new Promise((next) => setTimeout(next)); // let the page respond between two chapters
  }
}

/** Returns the match with some text of its paragraph before and after. */
function around(found: Range): Pick<Hit, 'pre' | 'match' | 'post'> {
  const node = found.startContainer;
  const element = node.nodeType === 1 ? (node as Element) : node.parentElement;
  const block = element?.closest(BLOCK) ?? element;
  const before = found.cloneRange();
  const after = found.cloneRange();
  if (block) {
    before.setStart(block, 0);
    after.setEnd(block, block.childNodes.length);
  }
  before.setEnd(found.startContainer, found.startOffset);
  after.setStart(found.endContainer, found.endOffset);
  const pre = line(before.toString()).trimStart();
  const post = line(after.toString()).trimEnd();
  return {
    pre: pre.length > CONTEXT ? `…${pre.slice(-CONTEXT)}` : pre,
    match: line(found.toString()),
    post: post.length > CONTEXT ? `${post.slice(0, CONTEXT)}…` : post,
  };
}

const line = (text: string) => text.replace(/\s+/g, ' ');
