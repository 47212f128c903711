/** A timeout for inactivity: an operation can take long, but must make progress. */

/** Extra time for messages that arrived while the page was busy. */
const GRACE = 1000;

export class ProgressTimeout {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #over = new AbortController();

  /** `onend` is called after `quiet` milliseconds of inactivity, unless `signal` aborts. */
  constructor(
    private quiet: number,
    signal: AbortSignal,
    private readonly onend: () => void,
  ) {
    const { signal: over } = this.#over;
    signal.addEventListener('abort', () => this.end(), { signal: over });
    // A hidden page is throttled: the time it was hidden does not count.
    document.addEventListener('visibilitychange', () => this.sign(), { signal: over });
    if (signal.aborted) this.end();
    else this.sign();
  }

  /** Records progress, and sets the limit for the next inactivity to `quiet`. */
  sign(quiet = this.quiet): void {
    if (this.#over.signal.aborted) return;
    clearTimeout(this.#timer);
    this.quiet = quiet;
    this.#timer = setTimeout(() => this.#last(), quiet);
  }

  end(): void {
    this.#over.abort();
    clearTimeout(this.#timer);
  }

  #last(): void {
    this.#timer = setTimeout(() => !document.hidden && this.onend(), GRACE);
  }
}
