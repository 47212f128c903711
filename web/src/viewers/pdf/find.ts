/** Full-text search in a PDF, page by page, with results as they are found. */
import type { PdfFile } from './pdf-file';
import { occurrences } from './text-match';

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
