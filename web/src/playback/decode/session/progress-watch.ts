/** Detects a worker that makes no progress. */
import { ActiveTime } from '../../../lib/active-time';

/** Milliseconds of silence after which a worker counts as crashed. A busy one reports at least once a second. */
const HANG = 10_000;
/** The same while it waits for the network: a request may take 30 seconds. */
const HANG_OF_NETWORK = 45_000;

export class ProgressWatch {
  readonly #active = new ActiveTime();
  /** Time of the last sign of the worker. */
  #heard = 0;
  /** The worker waits for the network, as it announces. At first, its script is fetched. */
  isFetching = true;

  /** A message has arrived, or the worker has nothing to do. */
  reset(): void {
    this.#heard = this.#active.now();
  }

  /** Returns true if the worker was silent for too long. Call it often. */
  isStuck(): boolean {
    return this.#active.now() - this.#heard > (this.isFetching ? HANG_OF_NETWORK : HANG);
  }
}
