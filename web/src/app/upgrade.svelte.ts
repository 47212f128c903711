/**
 * Handles missing chunks after an upgrade of the server. The page reloads once, unless that would lose something.
 * Otherwise, or if the reload did not help, it asks the user.
 */
import { tabStorage } from '../lib/env';

interface Surroundings {
  /** Returns true while the server is reachable. */
  reachable: () => Promise<boolean>;
  /** Returns true if a reload would lose edits or interrupt playback. */
  isBusy: () => boolean;
  reload: () => void;
}

/** Identifies this build: the address of the script contains a hash. */
const BUILD = import.meta.url;
const NAME = 'reloaded';

export class Upgrade {
  /** True if the user has to reload. */
  isNeeded = $state(false);
  #isHandled = false;

  constructor(
    private readonly around: Surroundings,
    private readonly store: Pick<typeof tabStorage, 'get' | 'set'> = tabStorage,
  ) {}

  /** Called when a chunk does not load. */
  async handle(): Promise<void> {
    if (this.#isHandled || this.isNeeded) return;
    this.#isHandled = true;
    const reachable = await this.around.reachable();
    this.#isHandled = false;
    if (!reachable) return;
    if (this.store.get(NAME) === BUILD || this.around.isBusy()) {
      this.isNeeded = true;
      return;
    }
    this.#isHandled = true;
    this.store.set(NAME, BUILD);
    this.around.reload();
  }

  /** Reloads on request of the user. */
  reload(): void {
    this.around.reload();
  }
}
