/** The queue that the server confirmed, in the storage of the tab, for a reload of the page. */
import { tabStorage } from '../../lib/env';
import type { Confirmed } from './server-queue.svelte';

export class SavedConfirmed {
  readonly #name: string;

  constructor(
    user: number,
    private readonly shelf: typeof tabStorage = tabStorage,
  ) {
    this.#name = `server-queue.${user}`;
  }

  /** Returns the stored queue; null if nothing valid is stored. */
  get(): Confirmed | null {
    try {
      const one = JSON.parse(this.shelf.get(this.#name) || 'null') as Confirmed | null;
      return one && Array.isArray(one.files) && Number.isSafeInteger(one.version) ? one : null;
    } catch {
      return null;
    }
  }

  set(confirmed: Confirmed | null): void {
    this.shelf.set(this.#name, confirmed ? JSON.stringify(confirmed) : '');
  }
}
