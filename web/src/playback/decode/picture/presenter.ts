/** Shows each picture at its time, and each field of an interlaced one if the device is fast. The clock is the sound. */
import type { Picture } from '../protocol';
import { FieldPace, fieldsOf, type Field } from './fields';
import type { Renderer } from './renderer';

/** Half a refresh of a usual screen, in seconds: a picture may be as early. */
const EARLY = 0.008;

/** Seconds by which the first picture after a seek may be early. */
const AHEAD = 0.5;

/** Seconds of an interlaced picture before the next one is known, and of the longest one. */
const USUAL_LENGTH = 1 / 25;
const LONGEST = 0.2;

export class Presenter {
  #queue: Picture[] = [];
  /** The picture on the canvas. It is drawn again after a loss of the graphics context. */
  #shown: Picture | null = null;
  #isDrawn = false;
  /** The fields of that picture if they are drawn one after another; null if it is drawn as a whole. */
  #fields: readonly [Field, Field] | null = null;
  /** Number of the field on the canvas, and the fields that were there. */
  #field: 0 | 1 = 0;
  #drawnFields = new Set<0 | 1>();
  /** Seconds from an interlaced picture to the next one. */
  #length = USUAL_LENGTH;
  readonly #pace = new FieldPace();
  /** The picture on the canvas belongs to an earlier run. */
  #isStale = false;
  /** Pictures that were late and never drawn. */
  dropped = 0;
  drawn = 0;

  constructor(private readonly renderer: Pick<Renderer, 'draw' | 'drawsFields'>) {}

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
      if (due) this.#drop(due);
      due = this.#queue.shift();
    }
    if (due) this.#put(due, time);
    // The first picture after a seek can lie a little later than the position.
    else if (this.#isStale && this.#queue[0] && this.#queue[0].time <= time + AHEAD)
      this.#put(this.#queue[0], time);
    else if (this.#shown && (!this.#isDrawn || this.#isSecondDue(this.#shown, time)))
      this.#put(this.#shown, time);
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

  #drop(picture: Picture): void {
    this.dropped += 1;
    if (fieldsOf(picture)) this.#pace.add(0);
  }

  #put(picture: Picture, time: number): void {
    if (picture !== this.#shown) this.#begin(picture);
    this.#isStale = false;
    if (this.#fields) this.#field = time + EARLY < picture.time + this.#lengthOf(picture) / 2 ? 0 : 1;
    this.#isDrawn = this.renderer.draw(picture, this.#fields?.[this.#field]);
    if (!this.#isDrawn) return;
    this.drawn += 1;
    this.#drawnFields.add(this.#field);
  }

  #begin(picture: Picture): void {
    if (this.#shown && !this.#isStale && fieldsOf(this.#shown)) this.#pace.add(this.#drawnFields.size);
    this.#shown = picture;
    this.#fields = this.renderer.drawsFields && this.#pace.isFast ? fieldsOf(picture) : null;
    this.#field = 0;
    this.#drawnFields.clear();
  }

  /** Returns true if the second field follows now. The pictures of a run that was left stay as they are. */
  #isSecondDue(picture: Picture, time: number): boolean {
    const waits = this.#fields !== null && this.#field === 0 && !this.#isStale;
    return waits && time + EARLY >= picture.time + this.#lengthOf(picture) / 2;
  }

  #lengthOf({ time }: Picture): number {
    const length = (this.#queue.find((one) => one.time > time)?.time ?? time) - time;
    if (length > 0 && length <= LONGEST) this.#length = length;
    return this.#length;
  }
}
