/** The own rating of an item: shown at once, sent one request at a time, reverted if the server rejects it. */

export class Rating {
  /** The latest rating that this page requested; undefined without one. */
  #wanted = $state<number | null | undefined>(undefined);
  #sending = false;

  constructor(
    private readonly known: () => number | null,
    private readonly send: (rating: number | null) => Promise<void>,
  ) {}

  get value(): number | null {
    return this.#wanted === undefined ? this.known() : this.#wanted;
  }

  /** Choices during a request are merged: the last one counts. */
  async set(rating: number | null): Promise<void> {
    let stored = this.value;
    this.#wanted = rating;
    if (this.#sending) return;
    this.#sending = true;
    try {
      while (this.value !== stored) {
        const wanted = this.value;
        await this.send(wanted);
        stored = wanted;
      }
    } catch (error) {
      this.#wanted = stored;
      throw error;
    } finally {
      this.#sending = false;
    }
  }
}
