/** Places that somebody puts, or takes away; unlike a player's, a failure is shown. Of one act, and of one person. */
import { Unreachable, type ApiClient } from '../api/client';
import type { Item, MediaFile, PastPlace, ProgressRow } from '../api/types';
import type { Places, Reached } from './places.svelte';

export class ByHand {
  /** Whether who began this still sits here. */
  readonly #sits: () => boolean;

  constructor(
    private readonly api: Pick<ApiClient, 'ask' | 'writeProgress'>,
    private readonly places: Pick<Places, 'sitter' | 'take' | 'drop' | 'note'>,
  ) {
    this.#sits = places.sitter();
  }

  /** Stores a position; without an answer it waits in the outbox, as a player's does. */
  async put(
    item: Pick<Item, 'id'>,
    file: Pick<MediaFile, 'id' | 'extent' | 'progress'>,
    reached: Reached,
  ): Promise<void> {
    // One file after another: whoever comes in between has not asked for the rest.
    if (!this.#sits()) return;
    const { position, finished = false } = reached;
    try {
      const row = await this.api.writeProgress(item.id, { file_id: file.id, position, finished });
      if (this.#sits()) this.places.take(row);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (this.#sits()) this.places.note(item, file, reached);
    }
  }

  /** Puts a former place back; the present one goes to the history. */
  async restore(item: Pick<Item, 'id'>, entry: Pick<PastPlace, 'id'>): Promise<void> {
    const address = `/items/${item.id}/progress/history/${entry.id}/restore`;
    const row = await this.api.ask<ProgressRow>('POST', address);
    if (this.#sits()) this.places.take(row);
  }

  /** Unstarted again. */
  async forget(item: Pick<Item, 'id' | 'files'>): Promise<void> {
    await this.api.ask<void>('DELETE', `/items/${item.id}/progress`);
    if (this.#sits()) this.places.drop(item);
  }
}
