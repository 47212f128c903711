/** Goes quiet by itself: after some minutes, or when the chapter ends. */

/** Seconds over which the sound fades before it stops. */
const FADE = 8;
export const MINUTES = [5, 10, 15, 30, 45, 60, 90] as const;

export class Sleep {
  /** Seconds that are left; null where no time was set. */
  left = $state<number | null>(null);
  /** The chapter with whose end it stops, by its place among the marks. */
  mark = $state<number | null>(null);
  #until = 0;

  constructor(private readonly now: () => number = Date.now) {}

  get on(): boolean {
    return this.left !== null || this.mark !== null;
  }

  inMinutes(minutes: number): void {
    this.off();
    this.#until = this.now() + minutes * 60_000;
    this.tick();
  }

  afterMark(mark: number): void {
    this.off();
    this.mark = mark;
  }

  off(): void {
    this.left = null;
    this.mark = null;
    this.#until = 0;
  }

  /** Somebody went to another place: it is that chapter's end now. */
  follow(mark: number): void {
    if (this.mark !== null) this.mark = mark;
  }

  /** Looks at the clock; true once, when the time is over. */
  tick(): boolean {
    if (this.#until === 0) return false;
    const left = (this.#until - this.now()) / 1000;
    if (left <= 0) {
      this.off();
      return true;
    }
    this.left = Math.ceil(left);
    return false;
  }

  /** How loud it still is, from 1 to 0. */
  get fade(): number {
    if (this.#until === 0) return 1;
    return Math.min(1, Math.max(0, (this.#until - this.now()) / 1000 / FADE));
  }
}
