/** The pictures of one film for its timeline: asked for while the pointer rests, one at a time, and kept. */
import { PreviewCache } from './cache';
import type { PreviewSource } from './source';

/** Milliseconds that the pointer rests before a picture is requested. */
export const REST = 150;
/** Pictures on the whole timeline at most, and the shortest distance between two in seconds. */
const PLACES = 300;
const CLOSEST = 1;
/** Pictures in a row that are missing or cost too much, after which there are no more. */
const MISSES = 3;
/** Milliseconds after the last picture at which the source is closed. */
const IDLE = 15_000;

type Show = (picture: HTMLCanvasElement) => void;

export class Previews {
  readonly #cache = new PreviewCache<HTMLCanvasElement>();
  #source: PreviewSource | null = null;
  #wanted: { place: number; show: Show } | null = null;
  #isTaking = false;
  #misses = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** Length of the film in seconds. */
    private readonly length: number,
    /** Opens the source; null if no one is cheap. */
    private readonly open: () => PreviewSource | null,
    /** Playback waits for data. */
    private readonly isBusy: () => boolean,
  ) {}

  /** Shows the picture of a time: at once, or after the pointer rested there. The returned function cancels that. */
  show(seconds: number, show: Show): () => void {
    const place = Math.floor(seconds / this.#distance);
    const known = this.#cache.get(place);
    if (known) {
      show(known);
      return () => {};
    }
    const timer = setTimeout(() => {
      this.#wanted = { place, show };
      void this.#take();
    }, REST);
    return () => {
      clearTimeout(timer);
      if (this.#wanted?.show === show) this.#wanted = null;
    };
  }

  /** Ends the source. The pictures stay. */
  close(): void {
    clearTimeout(this.#idle);
    this.#source?.close();
    this.#source = null;
  }

  get #distance(): number {
    return Math.max(CLOSEST, this.length / PLACES);
  }

  async #take(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    clearTimeout(this.#idle);
    while (this.#wanted && this.#misses < MISSES && !this.isBusy()) {
      const { place, show } = this.#wanted;
      this.#source ??= this.open();
      const taken = await this.#source?.take(Math.min((place + 0.5) * this.#distance, this.length));
      if (!this.#source) break;
      const isCheap = taken && taken.cost <= this.#source.limit;
      this.#misses = isCheap ? 0 : this.#misses + 1;
      if (taken) this.#cache.add(place, taken.picture);
      if (this.#wanted?.place !== place) continue;
      this.#wanted = null;
      if (taken) show(taken.picture);
    }
    this.#isTaking = false;
    if (this.#misses >= MISSES) this.close();
    else this.#idle = setTimeout(() => this.close(), IDLE);
  }
}
