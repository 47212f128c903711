/** Saves the queue over a reload of the page: the current item and the upcoming ones are restored. */
import type { ApiClient } from '../../api/client';
import type { SavedEntry, SavedQueue } from './saved-queue';
import { loadFirst, type RestoredEntry } from './resume';
import { savedEntryOf, type UpcomingQueue } from './upcoming.svelte';

export class QueuePersistence {
  /** Saved entries that are not restored yet. */
  #missed: readonly SavedEntry[];
  /** True while they are fetched. */
  coming: Promise<void> | null = null;

  constructor(
    private readonly api: Pick<ApiClient, 'item'>,
    private readonly kept: Pick<SavedQueue, 'get' | 'set'>,
    private readonly upcoming: UpcomingQueue,
  ) {
    this.#missed = kept.get();
  }

  keep(now: SavedEntry | null): void {
    // The current item replaces the first saved entry.
    const missed = this.#missed.slice(now ? 1 : 0);
    const { entries, rest } = this.upcoming;
    this.kept.set([...(now ? [now] : []), ...missed, ...entries.map(savedEntryOf), ...rest]);
  }

  /** True if saved entries are not restored yet. */
  get isMissing(): boolean {
    return this.#missed.length > 0;
  }

  /** Fetches the saved entries. If nothing plays by then, `stand` gets the first one, and a flag if it played last. */
  restore(isPlaying: () => boolean, stand: (first: RestoredEntry, played: boolean) => void): Promise<void> {
    if (this.coming) return this.coming;
    if (!this.isMissing) return Promise.resolve();
    this.coming = this.#restore(isPlaying, stand).finally(() => (this.coming = null));
    return this.coming;
  }

  async #restore(
    isPlaying: () => boolean,
    stand: (first: RestoredEntry, played: boolean) => void,
  ): Promise<void> {
    const kept = this.#missed;
    const taken = await loadFirst(this.api, kept);
    if (this.#missed !== kept) return;
    if (!taken) return isPlaying() ? this.#queue(kept.slice(1)) : undefined;
    this.#missed = [];
    const { there, rest } = taken;
    const [first, ...others] = there;
    const played = first?.ids === kept[0];
    // The user started another item meanwhile.
    if (isPlaying()) return this.upcoming.restore(played ? others : there, rest);
    this.upcoming.restore(others, rest);
    if (first) stand(first, played);
  }

  /** The item that starts replaces the first entry. */
  replace(): void {
    if (!this.coming) this.#missed = this.#missed.slice(1);
  }

  /** Something plays: saved entries that failed to load are fetched later, when they are needed. */
  deferRestore(): void {
    if (!this.coming && this.isMissing) this.#queue(this.#missed);
  }

  #queue(rest: readonly SavedEntry[]): void {
    this.#missed = [];
    this.upcoming.restore([], rest);
  }

  /** The player is closed. */
  end(): void {
    this.#missed = [];
  }
}
