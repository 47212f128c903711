/**
 * Parts of the interface that the server no longer has: after an upgrade their names have changed. The page reloads
 * once, unless that would lose something; then, and where the reload did not help, it asks the user.
 */
import { tabStorage } from './env';

interface Surroundings {
  /** Whether the server answers; without it nothing is known of its files. */
  reachable: () => Promise<boolean>;
  /** Whether a reload would lose edits or interrupt playback. */
  isBusy: () => boolean;
  reload: () => void;
}

/** Names this build: the address of the script contains a hash. */
const BUILD = import.meta.url;
const NAME = 'reloaded';

export class Upgrade {
  /** Whether the user has to reload. */
  isNeeded = $state(false);
  #isHandled = false;

  constructor(
    private readonly around: Surroundings,
    private readonly store: Pick<typeof tabStorage, 'get' | 'set'> = tabStorage,
  ) {}

  /** A part of the interface did not load. */
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

  /** The user's own reload. */
  reload(): void {
    this.around.reload();
  }
}
