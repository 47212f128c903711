/** An open book: opens it, reports chapters that do not load, and opens it again on request. */
import type { Book } from './book/book';
import { retryChapters } from './book/chapter-retry';
import { RequestFailed } from './book/remote-file';
import type { Place, Reader } from './reader.svelte';

interface Steps {
  load: (signal: AbortSignal) => Promise<Book>;
  /** Lays the book out. `isRetry` is true if it was open before. */
  layOut: (book: Book, isRetry: boolean) => Promise<Reader>;
  /** The text in place of a chapter that does not load. */
  words: () => string;
  /** Called when a response shows that the session is over. */
  onUnauthenticated: () => void;
}

export class BookSession {
  reader = $state.raw<Reader | null>(null);
  failure = $state.raw<unknown>();
  /** True while chapters wait for the server. */
  waits = $state(false);
  /** True if the server has no such chapter. */
  stuck = $state(false);
  #broken: ReadonlySet<number> = new Set();
  #stop = new AbortController();
  #isRetry = false;

  constructor(private readonly steps: Steps) {}

  /** Opens the book, also again after a failure. Returns the signal that ends with this attempt. */
  open(): AbortSignal {
    this.close();
    const { signal } = (this.#stop = new AbortController());
    [this.failure, this.stuck, this.waits] = [undefined, false, false];
    this.#open(signal, this.#isRetry).catch((error: unknown) => {
      if (!signal.aborted) this.failure = this.#checked(error) ?? true;
    });
    this.#isRetry = true;
    return signal;
  }

  close(): void {
    this.#stop.abort();
    this.reader?.close();
    this.reader = null;
  }

  /** Updates the state for the visible page. */
  moveTo({ index }: Place): void {
    this.stuck = this.#broken.has(index);
  }

  /** Returns the first visible line. The replacement for a missing chapter has no lines of its own. */
  lineOf({ index, from }: Place): string | null {
    return this.#broken.has(index) ? null : from;
  }

  async #open(signal: AbortSignal, isRetry: boolean): Promise<void> {
    const book = await this.steps.load(signal);
    if (signal.aborted) return book.destroy?.();
    this.#broken = retryChapters(book, {
      signal,
      words: this.steps.words(),
      onwait: (waits) => (this.waits = waits),
      onbroken: (error) => {
        this.#checked(error);
        this.stuck = true;
      },
    });
    const reader = await this.steps.layOut(book, isRetry);
    if (signal.aborted) return reader.close();
    this.reader = reader;
  }

  /** An expired session leads to the sign-in page. */
  #checked(error: unknown): unknown {
    if (error instanceof RequestFailed && error.status === 401) this.steps.onUnauthenticated();
    return error;
  }
}
