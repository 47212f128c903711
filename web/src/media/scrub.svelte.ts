/** A slider that is moved over files: the place is only shown, until the hand rests on it or lets go. */

/** Milliseconds that a hand rests on the slider before the file below it is fetched. */
const REST = 400;

/** The width of a slider's thumb in pixels. Its centre moves over the rest of the slider. */
export const THUMB = 20;

/** The time at a distance from the left of a slider: the one that a click there chooses. */
export function timeAt(x: number, length: number, width: number): number {
  const way = width - THUMB;
  if (way <= 0) return 0;
  return Math.min(1, Math.max(0, (x - THUMB / 2) / way)) * length;
}

/** The distance of a time from the left of a slider. */
export function leftAt(time: number, length: number, width: number): number {
  const share = length > 0 ? Math.min(1, Math.max(0, time / length)) : 0;
  return THUMB / 2 + share * Math.max(0, width - THUMB);
}

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
