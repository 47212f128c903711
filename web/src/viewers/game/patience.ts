/** How long one waits for something that gives no sign of life: much may take long, and nothing may stand still. */

/** For what came while the page was too busy to see it. */
const GRACE = 1000;

export class Patience {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #over = new AbortController();

  /** `onend` is called after `quiet` milliseconds without a sign, unless `signal` ends the waiting. */
  constructor(
    private quiet: number,
    signal: AbortSignal,
    private readonly onend: () => void,
  ) {
    const { signal: over } = this.#over;
    signal.addEventListener('abort', () => this.end(), { signal: over });
    // In a hidden page little goes on: the time it was hidden does not count.
    document.addEventListener('visibilitychange', () => this.sign(), { signal: over });
    if (signal.aborted) this.end();
    else this.sign();
  }

  /** Something has come, and from here on it may stay as quiet as `quiet` says. */
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
