/** The heart of a thing: shown at once, sent one at a time, taken back where the server refuses. */

export class Favourite {
  /** As it was last asked for here; null where nobody did. */
  #wanted = $state<boolean | null>(null);
  #sending = false;

  constructor(
    private readonly known: () => boolean,
    private readonly send: (marked: boolean) => Promise<void>,
  ) {}

  get marked(): boolean {
    return this.#wanted ?? this.known();
  }

  /** Turns it over. Clicks while one is on its way wait: the last of them counts. */
  async toggle(): Promise<void> {
    const before = this.marked;
    this.#wanted = !before;
    if (this.#sending) return;
    this.#sending = true;
    let stored = before;
    try {
      while (this.marked !== stored) {
        const wanted = this.marked;
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
