/** The pictures of one film for its timeline: asked for while the pointer rests, one at a time, and kept. */
import { PreviewCache } from './cache';
import type { PreviewSource, Taken } from './source';

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
  /** The time in seconds, and the receiver of its picture. */
  #wanted: { at: number; show: Show } | null = null;
  #isTaking = false;
  #misses = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    /** Length of the film in seconds. It can become known later. */
    private readonly length: () => number,
    /** Opens the source; null if no source is cheap. */
    private readonly open: () => PreviewSource | null,
    /** Playback waits for data. */
    private readonly isBusy: () => boolean,
  ) {}

  /** Shows the picture of a time: at once, or after the pointer rested there. The returned function cancels that. */
  show(seconds: number, show: Show): () => void {
    const at = this.#placeOf(seconds);
    const cached = this.#cache.get(at);
    if (cached) {
      show(cached);
      return () => {};
    }
    const timer = setTimeout(() => {
      this.#wanted = { at, show };
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

  /** Returns the time of the picture for a time under the pointer. */
  #placeOf(seconds: number): number {
    const length = this.length();
    const distance = Math.max(CLOSEST, length / PLACES);
    return Math.min((Math.floor(seconds / distance) + 0.5) * distance, length);
  }

  async #take(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    clearTimeout(this.#idle);
    try {
      await this.#takeWanted();
    } finally {
      this.#isTaking = false;
    }
    if (this.#misses >= MISSES) this.close();
    else if (this.#source) this.#idle = setTimeout(() => this.close(), IDLE);
  }

  async #takeWanted(): Promise<void> {
    while (this.#wanted && this.#misses < MISSES && !this.isBusy()) {
      const { at, show } = this.#wanted;
      const source = (this.#source ??= this.open());
      const taken = source && (await pictureOf(source, at));
      // Nothing is cheap, or the source was closed meanwhile.
      if (!source || this.#source !== source) return;
      this.#misses = taken && taken.cost <= source.limit ? 0 : this.#misses + 1;
      if (taken) this.#cache.add(at, taken.picture);
      if (this.#wanted?.at !== at) continue;
      this.#wanted = null;
      if (taken) show(taken.picture);
    }
  }
}

/** Returns the picture at a time; null also after an error of the source. */
async function pictureOf(source: PreviewSource, at: number): Promise<Taken | null> {
  try {
    return await source.take(at);
  } catch {
    return null;
  }
}
