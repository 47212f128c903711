/** An entry of a list that is dragged by mouse, pen or finger. The window scrolls while the pointer is near its edges. */

interface Point {
  x: number;
  y: number;
}

interface DragTarget {
  /** Returns the index of the place at a point of the window, in pixels. */
  indexAt(point: Point): number;
  /** Moves the entry of a place. */
  drop(from: number, to: number): void;
}

/** Distance to the edge of the window, in pixels, within which it scrolls. */
const EDGE = 96;
/** Largest step of the scroll per frame, in pixels. */
const STEP = 18;

export class ListDrag {
  /** The place that is dragged, and the place where the pointer is. */
  at = $state.raw<{ from: number; to: number } | null>(null);
  #point: Point = { x: 0, y: 0 };
  #frame = 0;

  constructor(private readonly target: DragTarget) {}

  start(event: PointerEvent, index: number): void {
    if (event.button !== 0) return;
    event.preventDefault();
    this.#point = { x: event.clientX, y: event.clientY };
    this.at = { from: index, to: index };
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  move({ clientX, clientY }: { clientX: number; clientY: number }): void {
    if (!this.at) return;
    this.#point = { x: clientX, y: clientY };
    this.scrolled();
  }

  /** The list moved below the pointer. */
  scrolled(): void {
    if (!this.at) return;
    const to = this.target.indexAt(this.#point);
    if (to !== this.at.to) this.at = { ...this.at, to };
  }

  drop(): void {
    const { at } = this;
    this.cancel();
    if (at) this.target.drop(at.from, at.to);
  }

  cancel(): void {
    cancelAnimationFrame(this.#frame);
    this.at = null;
  }

  #scroll(): void {
    if (!this.at) return;
    const above = EDGE - this.#point.y;
    const below = this.#point.y - (innerHeight - EDGE);
    const share = Math.min(1, Math.max(above, below, 0) / EDGE);
    if (share > 0) scrollBy({ top: (above > 0 ? -1 : 1) * share * STEP });
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }
}
