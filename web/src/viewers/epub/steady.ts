/** Chapters that do not come at once: asked for again while the server is away, and if they never come, said so. */
import { Unreachable } from '../../api/client';
import type { Book } from './book';
import { Refused } from './remote';

export interface Patience {
  signal: AbortSignal;
  /** Whether the server is waited for. */
  onwait: (waits: boolean) => void;
  /** A chapter stays away for good: what is shown in its place is `words`. */
  onbroken: (error: unknown) => void;
  words: string;
  pause?: (milliseconds: number) => Promise<void>;
}

const WAITS = [300, 1000, 2000, 4000] as const;

/**
 * Makes the chapters of a book come however the server feels. The paginator takes a chapter that failed for none at all
 * and loses its place with it, so there is always a page, and the chapters without their own are told.
 */
export function steady(book: Book, patience: Patience): ReadonlySet<number> {
  const broken = new Set<number>();
  for (const [index, section] of book.sections.entries()) {
    const load = section.load.bind(section);
    section.load = async () => {
      try {
        const address = await insist(async () => load(), patience);
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

/** Tries until it comes, as long as the server is away; a server that is there and fails gets a few more tries. */
async function insist<T>(work: () => Promise<T>, { signal, onwait, pause = wait }: Patience): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const done = await work();
      if (attempt > 0) onwait(false);
      return done;
    } catch (error) {
      const tries = passing(error) ? (error instanceof Unreachable ? Infinity : WAITS.length) : 0;
      if (signal.aborted || attempt >= tries) {
        if (attempt > 0) onwait(false);
        throw error;
      }
      onwait(true);
      await pause(WAITS[Math.min(attempt, WAITS.length - 1)] ?? 0);
    }
  }
}

const passing = (error: unknown) =>
  error instanceof Unreachable ||
  (error instanceof Refused && (error.status >= 500 || [408, 429].includes(error.status)));

const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

function placeholder({ words, signal }: Patience): string {
  const page = document.implementation.createHTMLDocument('');
  const paragraph = page.createElement('p');
  paragraph.textContent = words;
  page.body.append(paragraph);
  const text = new XMLSerializer().serializeToString(page);
  const address = URL.createObjectURL(new Blob([text], { type: 'application/xhtml+xml' }));
  signal.addEventListener('abort', () => URL.revokeObjectURL(address), { once: true });
  return address;
}
