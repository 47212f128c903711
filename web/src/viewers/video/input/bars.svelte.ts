/** The bars over a film: they hide during playback. A touch shows and hides them, a click pauses. */

/** Milliseconds without an input until the bars hide. */
const IDLE = 3000;
/** Maximum milliseconds between the clicks of a double click. */
const DOUBLE = 220;

interface Film {
  /** True if the bars stay, for example during a pause. */
  readonly isHeld: boolean;
  readonly isPaused: boolean;
  toggle: () => void;
  fullscreen: () => void;
}

export class Bars {
  awake = $state(true);
  #idle: ReturnType<typeof setTimeout> | undefined;
  #click: ReturnType<typeof setTimeout> | undefined;
  #isTouch = false;
  /** True if the bars were visible when the finger touched the film. */
  #wereShown = true;

  constructor(private readonly film: Film) {}

  get shown(): boolean {
    return this.awake || this.film.isHeld;
  }

  /** Shows the bars for a while. */
  stir(): void {
    this.awake = true;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => (this.awake = false), IDLE);
  }

  pointerdown({ pointerType }: Pick<PointerEvent, 'pointerType'>): void {
    this.#isTouch = pointerType === 'touch';
    this.#wereShown = this.shown;
    if (!this.#isTouch) this.stir();
  }

  pointermove({ pointerType }: Pick<PointerEvent, 'pointerType'>): void {
    if (pointerType !== 'touch' || this.shown) this.stir();
  }

  /** Pauses or resumes after a click that is not part of a double click. A touch hides visible bars. */
  click({ detail }: Pick<MouseEvent, 'detail'>): void {
    clearTimeout(this.#click);
    if (this.#isTouch && this.#wereShown && !this.film.isPaused) {
      clearTimeout(this.#idle);
      this.awake = false;
    } else if (this.#isTouch) this.stir();
    else if (detail < 2) this.#click = setTimeout(() => this.film.toggle(), DOUBLE);
  }

  doubleclick(): void {
    clearTimeout(this.#click);
    if (!this.#isTouch) this.film.fullscreen();
  }

  close(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#click);
  }
}
