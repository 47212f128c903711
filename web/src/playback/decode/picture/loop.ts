/** Draws the pictures of a film on a canvas, in step with the screen. */
import type { Picture } from '../protocol';
import { Presenter } from './presenter';
import { rendererOf, type Renderer } from './renderer';

/** Milliseconds of visible frames without graphics that are an error. Browsers restore a lost context within a second. */
const PATIENCE = 5000;
/** Longest frame in milliseconds. A hidden page has none, and its time does not count. */
const LONGEST_FRAME = 1000;

export class PictureLoop {
  readonly #renderer: Renderer | null;
  readonly #presenter: Presenter;
  #frame = 0;
  #lastFrame = 0;
  /** Milliseconds for which the picture could not be drawn. */
  #blank = 0;
  readonly #redraw = () => this.#presenter.redraw();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    /** Position of playback in seconds. */
    private readonly clock: () => number,
    /** The pictures cannot be drawn. Nothing more is drawn afterwards. */
    private readonly onfailed: (detail: string) => void,
    open: (canvas: HTMLCanvasElement) => Renderer | null = rendererOf,
  ) {
    this.#renderer = open(canvas);
    this.#presenter = new Presenter(this.#renderer ?? { draw: () => false });
    // The lost picture counts as not drawn until it is drawn again.
    canvas.addEventListener('webglcontextlost', this.#redraw);
    canvas.addEventListener('webglcontextrestored', this.#redraw);
    // The screen has taken the picture, and a reader needs it again.
    canvas.addEventListener('redraw', this.#redraw);
    this.#next();
  }

  get waiting(): number {
    // Frames of the screen stop while the page is hidden.
    if (document.hidden) this.#presenter.skip(this.clock());
    return this.#presenter.waiting;
  }

  /** Time of the last picture that waits or is shown; null without one of this run. */
  get newest(): number | null {
    return this.#presenter.newest;
  }

  add(picture: Picture): void {
    this.#presenter.add(picture);
  }

  clear(): void {
    this.#presenter.clear();
  }

  /** Returns true if the pictures of a position are here, or the position is the one that is shown. */
  has(time: number): boolean {
    const { current, newest } = this.#presenter;
    return current !== null && newest !== null && current <= time && time <= newest;
  }

  /** Returns true if a later picture than this position was shown. */
  isPast(time: number): boolean {
    const { current } = this.#presenter;
    return current !== null && current > time;
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.canvas.removeEventListener('webglcontextlost', this.#redraw);
    this.canvas.removeEventListener('webglcontextrestored', this.#redraw);
    this.canvas.removeEventListener('redraw', this.#redraw);
    this.#presenter.clear();
    this.#renderer?.close();
  }

  #next(): void {
    this.#frame = requestAnimationFrame((now) => {
      const problem = this.#show(now);
      if (problem === null) this.#next();
      else this.onfailed(problem);
    });
  }

  /** Draws the picture of this frame. Returns the reason why pictures can no longer be drawn; null if they can. */
  #show(now: number): string | null {
    try {
      this.#presenter.show(this.clock());
    } catch (error) {
      // The shader does not compile, for example.
      return String(error);
    }
    const length = Math.min(now - this.#lastFrame, LONGEST_FRAME);
    this.#lastFrame = now;
    this.#blank = this.#presenter.isBlank ? this.#blank + length : 0;
    return this.#blank > PATIENCE ? 'the graphics context is lost' : null;
  }
}
