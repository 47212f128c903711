/** Which pages did not come: each is asked for again by itself a few times, and whenever the network is back. */
const WAITS = [1000, 3000, 10_000, 30_000] as const;

export class Pictures {
  #broken = $state.raw<ReadonlySet<number>>(new Set());
  readonly #attempts = new Map<number, number>();
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** Listens for the network; the function returned stops that, and all that is waited for. */
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

  /** Somebody asks for it. */
  retry(page: number): void {
    this.#attempts.delete(page);
    this.#again(page);
  }

  #again(page: number): void {
    clearTimeout(this.#timers.get(page));
    this.#broken = new Set([...this.#broken].filter((other) => other !== page));
  }
}
