/** A slider over several files. The position is only shown until the pointer pauses or is released. */

/** Milliseconds that the pointer pauses before the file below it is loaded. */
const REST = 400;

/** The width of a slider's thumb in pixels. Its centre moves over the rest of the slider. */
export const THUMB = 20;

/** Returns the time at a distance from the left of a slider, as a click there selects it. */
export function timeAt(x: number, length: number, width: number): number {
  const way = width - THUMB;
  if (way <= 0) return 0;
  return Math.min(1, Math.max(0, (x - THUMB / 2) / way)) * length;
}

/** Returns the distance of a time from the left of a slider. */
export function leftAt(time: number, length: number, width: number): number {
  const share = length > 0 ? Math.min(1, Math.max(0, time / length)) : 0;
  return THUMB / 2 + share * Math.max(0, width - THUMB);
}

export class ScrubState {
  /** The previewed position; null while the slider is not moved. */
  at = $state<number | null>(null);
  #rest: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly onpick: (to: number) => void) {}

  show(to: number): void {
    clearTimeout(this.#rest);
    this.at = to;
    this.#rest = setTimeout(() => this.release(), REST);
  }

  /** Seeks to the previewed position. */
  release(): void {
    const to = this.at;
    this.clear();
    if (to !== null) this.onpick(to);
  }

  clear(): void {
    clearTimeout(this.#rest);
    this.at = null;
  }
}
