/** Pages that failed to load. Each is retried a few times, and again when the network is back. */
const WAITS = [1000, 3000, 10_000, 30_000] as const;

export class ComicPictures {
  #broken = $state.raw<ReadonlySet<number>>(new Set());
  readonly #attempts = new Map<number, number>();
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** Listens for the network. The returned function stops that and all pending retries. */
  follow(): () => void {
    const back = () => {
      this.#attempts.clear();
      for (const page of this.#broken) this.#again(page);
    };
    addEventListener('online', back);
    return () => {
      removeEventListener('online', back);
      for (const timer of this.#timers.values()) clearTimeout(timer);
    };
  }

  isBroken(page: number): boolean {
    return this.#broken.has(page);
  }

  broke(page: number): void {
    this.#broken = new Set([...this.#broken, page]);
    const attempt = this.#attempts.get(page) ?? 0;
    this.#attempts.set(page, attempt + 1);
    const wait = WAITS[attempt];
    if (wait !== undefined)
      this.#timers.set(
        page,
        setTimeout(() => this.#again(page), wait),
      );
  }

  came(page: number): void {
    this.#attempts.delete(page);
  }

  /** Retries on request of the user. */
  retry(page: number): void {
    this.#attempts.delete(page);
    this.#again(page);
  }

  #again(page: number): void {
    clearTimeout(this.#timers.get(page));
    this.#broken = new Set([...this.#broken].filter((other) => other !== page));
  }
}
