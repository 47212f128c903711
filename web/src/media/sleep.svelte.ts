/** Goes quiet by itself: after some minutes of listening, or when the chapter ends. */

/** Seconds over which the sound fades before it stops. */
const FADE = 8;
export const MINUTES = [5, 10, 15, 30, 45, 60, 90] as const;

export class Sleep {
  /** Seconds that are left; null where no time was set. */
  left = $state<number | null>(null);
  /** The chapter with whose end it stops, by its place among the marks. */
  mark = $state<number | null>(null);
  /** Milliseconds that were left at `#since`, and since when they run: a pause does not count. */
  #rest = 0;
  #since: number | null = null;
  #runs = false;

  constructor(private readonly now: () => number = Date.now) {}

  get on(): boolean {
    return this.left !== null || this.mark !== null;
  }

  inMinutes(minutes: number): void {
    this.off();
    this.#rest = minutes * 60_000;
    if (this.#runs) this.#since = this.now();
    this.left = minutes * 60;
  }

  afterMark(mark: number): void {
    this.off();
    this.mark = mark;
  }

  off(): void {
    this.left = null;
    this.mark = null;
    this.#rest = 0;
    this.#since = null;
  }

  /** Something sounds, or nothing does. */
  run(runs: boolean): void {
    this.#runs = runs;
    if (this.left === null) return;
    this.#rest = this.#remaining;
    this.#since = runs ? this.now() : null;
  }

  /** Somebody went to another place: it is that chapter's end now. */
  follow(mark: number): void {
    if (this.mark !== null) this.mark = mark;
  }

  /** Looks at the clock; true once, when the time is over. */
  tick(): boolean {
    if (this.left === null) return false;
    const left = this.#remaining / 1000;
    if (left <= 0) {
      this.off();
      return true;
    }
    this.left = Math.ceil(left);
    return false;
  }

  /** How loud it still is, from 1 to 0. */
  get fade(): number {
    if (this.left === null) return 1;
    return Math.min(1, Math.max(0, this.#remaining / 1000 / FADE));
  }

  get #remaining(): number {
    return this.#rest - (this.#since === null ? 0 : this.now() - this.#since);
  }
}
