/** Overscroll at the end of a long page: a swipe, or turns of the wheel, that start at the end. */
const SWIPE = 60;
const TURNS = 360;
/** Milliseconds after the last scrolling during which momentum is ignored. */
const REST = 500;

export class Overscroll {
  #from: number | null = null;
  #turned = 0;
  #scrolled = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly atEnd: () => boolean,
    private readonly onpush: () => void,
  ) {}

  touchstart(event: TouchEvent): void {
    const touch = event.touches.length === 1 ? event.touches[0] : undefined;
    this.#from = touch && this.atEnd() ? touch.clientY : null;
  }

  touchend(event: TouchEvent): void {
    const to = event.changedTouches[0]?.clientY;
    const from = this.#from;
    this.#from = null;
    if (from === null || to === undefined || event.touches.length > 0) return;
    if (from - to > SWIPE && this.atEnd()) this.onpush();
  }

  wheel(event: WheelEvent): void {
    if (event.ctrlKey) return;
    if (event.deltaY <= 0 || !this.atEnd()) {
      this.#turned = 0;
      this.#scrolled = event.timeStamp;
    } else if (event.timeStamp - this.#scrolled > REST) {
      this.#turned += event.deltaY;
      if (this.#turned <= TURNS) return;
      this.#turned = 0;
      this.onpush();
    }
  }
}
