/** The sleep timer: stops after some minutes of playback, or at the end of the chapter or the file. */

/** Duration of the fade-out in seconds. */
const FADE = 8;
export const MINUTES = [5, 10, 15, 30, 45, 60, 90] as const;

export class SleepTimer {
  /** Remaining seconds; null without a time limit. */
  left = $state<number | null>(null);
  /** Index of the chapter at whose end it stops. */
  mark = $state<number | null>(null);
  /** True if nothing plays after the current file. */
  atEnd = $state(false);
  /** Milliseconds that remained at `#since`, and the start of the countdown. A pause does not count. */
  #rest = 0;
  #since: number | null = null;
  #runs = false;

  constructor(private readonly now: () => number = Date.now) {}

  get on(): boolean {
    return this.left !== null || this.mark !== null || this.atEnd;
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

  afterFile(): void {
    this.off();
    this.atEnd = true;
  }

  off(): void {
    this.left = null;
    this.mark = null;
    this.atEnd = false;
    this.#rest = 0;
    this.#since = null;
  }

  /** Handles the start and the end of playback. */
  run(runs: boolean): void {
    this.#runs = runs;
    if (this.left === null) return;
    this.#rest = this.#remaining;
    this.#since = runs ? this.now() : null;
  }

  /** After a seek, the end of the new chapter counts. */
  follow(mark: number): void {
    if (this.mark !== null) this.mark = mark;
  }

  /** Checks the clock; true once, when the time is over. */
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

  /** Volume during the fade-out, from 1 to 0. */
  get fade(): number {
    if (this.left === null) return 1;
    return Math.min(1, Math.max(0, this.#remaining / 1000 / FADE));
  }

  get #remaining(): number {
    return this.#rest - (this.#since === null ? 0 : this.now() - this.#since);
  }
}
