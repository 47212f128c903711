/** Looks for words in a PDF, page by page, and tells what it finds as it goes. */
import type { PdfFile } from './file';
import { occurrences } from './words';

export interface PdfHit {
  key: string;
  page: number;
  pre: string;
  match: string;
  post: string;
}

const CONTEXT = 60;
export const MOST = 500;

export async function* look(
  pdf: PdfFile,
  query: string,
  signal: AbortSignal,
): AsyncGenerator<{ hits: PdfHit[]; share: number }> {
  let left = MOST;
  for (let page = 0; page < pdf.count && left > 0; page += 1) {
    if (signal.aborted) return;
    const text = await pdf.text(page);
    const hits = occurrences(text, query)
      .slice(0, left)
      .map(([from, to], at) => ({
        key: `${page}.${at}`,
        page,
        pre: (from > CONTEXT ? '…' : '') + text.slice(Math.max(0, from - CONTEXT), from),
        match: text.slice(from, to),
        post: text.slice(to, to + CONTEXT) + (to + CONTEXT < text.length ? '…' : ''),
      }));
    left -= hits.length;
    yield { hits, share: (page + 1) / pdf.count };
  }
}
