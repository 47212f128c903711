/** The favourite mark of an item: updated at once, sent one request at a time, reverted if the server rejects it. */

export class Favourite {
  /** The latest mark that this page requested; null without one. */
  #wanted = $state<boolean | null>(null);
  #sending = false;

  constructor(
    private readonly known: () => boolean,
    private readonly send: (marked: boolean) => Promise<void>,
  ) {}

  get marked(): boolean {
    return this.#wanted ?? this.known();
  }

  /** Toggles the mark. Clicks during a request are merged: the last one counts. */
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
