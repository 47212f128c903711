/** The seconds until the next episode starts by itself. */

const SECOND = 1000;

export class Countdown {
  /** The remaining seconds; null if it does not run. */
  left = $state<number | null>(null);
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Counts down from `seconds`, and calls `onend` at zero. */
  start(seconds: number, onend: () => void): void {
    this.stop();
    this.left = seconds;
    this.#timer = setInterval(() => {
      this.left = (this.left ?? 1) - 1;
      if (this.left > 0) return;
      this.stop();
      onend();
    }, SECOND);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.left = null;
  }
}
