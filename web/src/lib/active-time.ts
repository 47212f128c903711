/** Time in which the machine worked. Some clocks go on while it sleeps, and timers of a suspended page stop. */

/** Longest step in milliseconds between two readings. */
const LONGEST_STEP = 1000;

export class ActiveTime {
  #sum = 0;
  #last = performance.now();

  constructor(private readonly longest = LONGEST_STEP) {}

  /** Returns milliseconds since the creation. Call it often: a longer step counts as the longest one. */
  now(): number {
    const now = performance.now();
    this.#sum += Math.min(now - this.#last, this.longest);
    this.#last = now;
    return this.#sum;
  }
}
