/** A value that this page changes: shown at once, sent one request at a time, reverted if the server rejects it. */

export class Optimistic<T> {
  /** The known value. A stored one replaces it until the known one changes: another device can change it, too. */
  #stored = $derived.by(() => this.known());
  /** The latest value that this page requested, while it is sent. */
  #pending = $state.raw<{ value: T } | null>(null);

  constructor(
    /** The value from the server. Its reactive state is tracked. */
    private readonly known: () => T,
    private readonly send: (value: T) => Promise<void>,
  ) {}

  get value(): T {
    return this.#pending === null ? this.#stored : this.#pending.value;
  }

  /** Values that are set during a request are merged: the last one counts. */
  async set(value: T): Promise<void> {
    const isSending = this.#pending !== null;
    let stored = this.value;
    this.#pending = { value };
    if (isSending) return;
    try {
      while (this.value !== stored) {
        const wanted = this.value;
        await this.send(wanted);
        stored = wanted;
        this.#stored = wanted;
      }
    } finally {
      this.#pending = null;
    }
  }
}
