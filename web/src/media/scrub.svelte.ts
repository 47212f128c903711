/** A slider that is moved over files: the place is only shown, until the hand rests on it or lets go. */

/** Milliseconds that a hand rests on the slider before the file below it is fetched. */
const REST = 400;

export class Scrub {
  /** The place that is shown; null where no hand is on the slider. */
  at = $state<number | null>(null);
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onpick: (to: number) => void) {}

  show(to: number): void {
    clearTimeout(this.#rest);
    this.at = to;
    this.#rest = setTimeout(() => this.letGo(), REST);
  }

  /** Goes where it was moved to. */
  letGo(): void {
    const to = this.at;
    this.clear();
    if (to !== null) this.onpick(to);
  }

  clear(): void {
    clearTimeout(this.#rest);
    this.at = null;
  }
}
