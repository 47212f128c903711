/** Detects a worker that makes no progress. */

/** Milliseconds of silence after which a worker counts as crashed. A busy one reports at least once a second. */
const HANG = 10_000;
/** The same while it waits for the network: a request may take 30 seconds. */
const HANG_OF_NETWORK = 45_000;
/** Longest step in milliseconds between two checks. Timers of a hidden or suspended page stop, and messages wait then. */
const LONGEST_STEP = 1000;

export class ProgressWatch {
  #silence = 0;
  #lastCheck = performance.now();
  /** The worker waits for the network, as it announces. At first, its script is fetched. */
  isFetching = true;

  /** A message has arrived, or the worker has nothing to do. */
  reset(): void {
    this.#silence = 0;
  }

  /** Returns true if the worker was silent for too long. Call it often. */
  isStuck(): boolean {
    const now = performance.now();
    this.#silence += Math.min(now - this.#lastCheck, LONGEST_STEP);
    this.#lastCheck = now;
    return this.#silence > (this.isFetching ? HANG_OF_NETWORK : HANG);
  }
}
