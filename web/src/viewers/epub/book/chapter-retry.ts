/** Retries chapters while the server is unreachable, and reports those that never load. */
import { Unreachable } from '../../../api/client';
import type { Book } from './book';
import { RequestFailed } from './remote-file';

export interface RetryOptions {
  signal: AbortSignal;
  /** True while chapters wait for the server. */
  onwait: (waits: boolean) => void;
  /** Called when a chapter failed permanently; `words` is the text of its replacement. */
  onbroken: (error: unknown) => void;
  words: string;
  pause?: (milliseconds: number) => Promise<void>;
}

const WAITS = [300, 1000, 2000, 4000] as const;

/**
 * Makes the chapters of a book load reliably. The paginator drops a failed chapter and its position with it. Therefore
 * every chapter returns a page, and failed chapters are reported.
 */
export function retryChapters(book: Book, patience: RetryOptions): ReadonlySet<number> {
  const broken = new Set<number>();
  for (const [index, section] of book.sections.entries()) {
    const load = section.load.bind(section);
    section.load = async () => {
      try {
        const address = await loadWithRetries(async () => load(), patience);
        broken.delete(index);
        return address;
      } catch (error) {
        if (patience.signal.aborted) throw error;
        broken.add(index);
        patience.onbroken(error);
        return placeholder(patience);
      }
    };
  }
  return broken;
}

/** Retries without a limit while the server is unreachable. Errors of a reachable server are retried a few times. */
async function loadWithRetries<T>(
  work: () => Promise<T>,
  { signal, onwait, pause = wait }: RetryOptions,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const done = await work();
      if (attempt > 0) onwait(false);
      return done;
    } catch (error) {
      const tries = isTemporary(error) ? (error instanceof Unreachable ? Infinity : WAITS.length) : 0;
      if (signal.aborted || attempt >= tries) {
        if (attempt > 0) onwait(false);
        throw error;
      }
      onwait(true);
      await pause(WAITS[Math.min(attempt, WAITS.length - 1)] ?? 0);
    }
  }
}

const isTemporary = (error: unknown) =>
  error instanceof Unreachable ||
  (error instanceof RequestFailed && (error.status >= 500 || [408, 429].includes(error.status)));

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

function placeholder({ words, signal }: RetryOptions): string {
  const page = document.implementation.createHTMLDocument('');
  const paragraph = page.createElement('p');
  paragraph.textContent = words;
  page.body.append(paragraph);
  const text = new XMLSerializer().serializeToString(page);
  const address = URL.createObjectURL(new Blob([text], { type: 'application/xhtml+xml' }));
  signal.addEventListener('abort', () => URL.revokeObjectURL(address), { once: true });
  return address;
}
