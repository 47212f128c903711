/** Draws the pictures of a film on a canvas, in step with the screen. */
import type { Picture } from '../protocol';
import { Presenter } from './presenter';
import { rendererOf, type Renderer } from './renderer';

export class PictureLoop {
  readonly #renderer: Renderer | null;
  readonly #presenter: Presenter;
  #frame = 0;
  readonly #restored = () => this.#presenter.redraw();

  constructor(
    private readonly canvas: HTMLCanvasElement,
    /** Position of playback in seconds. */
    private readonly clock: () => number,
  ) {
    this.#renderer = rendererOf(canvas);
    this.#presenter = new Presenter(this.#renderer ?? { draw: () => false });
    canvas.addEventListener('webglcontextrestored', this.#restored);
    this.#next();
  }

  get waiting(): number {
    // Frames of the screen stop while the page is hidden.
    if (document.hidden) this.#presenter.skip(this.clock());
    return this.#presenter.waiting;
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
    this.canvas.removeEventListener('webglcontextrestored', this.#restored);
    this.#presenter.clear();
    this.#renderer?.close();
  }

  #next(): void {
    this.#frame = requestAnimationFrame(() => {
      this.#presenter.show(this.clock());
      this.#next();
    });
  }
}
