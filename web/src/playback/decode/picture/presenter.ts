/** Shows each picture at its time. The clock is the sound. */
import type { Picture } from '../protocol';
import type { Renderer } from './renderer';

/** Half a refresh of a usual screen, in seconds: a picture may be as early. */
const EARLY = 0.008;

/** Seconds by which the first picture after a seek may be early. */
const AHEAD = 0.5;

export class Presenter {
  #queue: Picture[] = [];
  /** The picture on the canvas. It is drawn again after a loss of the graphics context. */
  #shown: Picture | null = null;
  #isDrawn = false;
  /** The picture on the canvas belongs to an earlier run. */
  #isStale = false;
  /** Pictures that were late and never drawn. */
  dropped = 0;
  drawn = 0;

  constructor(private readonly renderer: Pick<Renderer, 'draw'>) {}

  /** Number of pictures that wait. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** Time of the last picture that waits or is shown; null without one. */
  get newest(): number | null {
    return this.#queue.at(-1)?.time ?? this.current;
  }

  /** Time of the picture on the canvas; null without one of this run. */
  get current(): number | null {
    return this.#isStale ? null : (this.#shown?.time ?? null);
  }

  /** True if the picture of the present time is not on the canvas, because it could not be drawn. */
  get isBlank(): boolean {
    return this.#shown !== null && !this.#isDrawn;
  }

  add(picture: Picture): void {
    // Pictures arrive in order of presentation, except after errors in the file.
    let at = this.#queue.length;
    while (at > 0 && (this.#queue[at - 1]?.time ?? 0) > picture.time) at -= 1;
    this.#queue.splice(at, 0, picture);
  }

  /** Shows the picture of this time. Earlier pictures are dropped. */
  show(time: number): void {
    let due: Picture | undefined;
    while (this.#queue[0] && this.#queue[0].time <= time + EARLY) {
      if (due) this.dropped += 1;
      due = this.#queue.shift();
    }
    if (due) this.#put(due);
    // The first picture after a seek can lie a little later than the position.
    else if (this.#isStale && this.#queue[0] && this.#queue[0].time <= time + AHEAD)
      this.#put(this.#queue[0]);
    else if (!this.#isDrawn && this.#shown) this.#put(this.#shown);
  }

  /** Drops pictures that are over, without drawing: a hidden page has no frames. */
  skip(time: number): void {
    while (this.#queue[1] && this.#queue[1].time <= time) this.#queue.shift();
  }

  /** Drops all pictures that wait, for a run from another position. The one on the canvas stays until the next. */
  clear(): void {
    this.#queue = [];
    this.#isStale = true;
  }

  /** Draws the picture again, after the canvas lost it. */
  redraw(): void {
    this.#isDrawn = false;
  }

  #put(picture: Picture): void {
    this.#shown = picture;
    this.#isStale = false;
    this.#isDrawn = this.renderer.draw(picture);
    if (this.#isDrawn) this.drawn += 1;
  }
}
