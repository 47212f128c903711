/** Manual changes of progress. Unlike those of a player, a failure is shown. Each belongs to one action of one user. */
import { Unreachable, type ApiClient } from '../api/client';
import type { Item, MediaFile, ProgressHistoryEntry } from '../api/models';
import type { ProgressStore, ProgressUpdate } from './progress-store.svelte';
import { deciding } from './resume';

export class ManualProgress {
  /** Returns true while the same user is signed in. */
  readonly #isSameUser: () => boolean;

  constructor(
    private readonly api: Pick<ApiClient, 'writeProgress' | 'restoreProgress' | 'resetProgress'>,
    private readonly progressStore: Pick<ProgressStore, 'userCheck' | 'take' | 'drop' | 'note'>,
  ) {
    this.#isSameUser = progressStore.userCheck();
  }

  /** Stores a position. Without a response it waits in the outbox. */
  async put(
    item: Pick<Item, 'id'>,
    file: Pick<MediaFile, 'id' | 'extent' | 'progress'>,
    reached: ProgressUpdate,
  ): Promise<void> {
    // Sequential requests: after a change of the user the rest is not sent.
    if (!this.#isSameUser()) return;
    const { position, finished = false } = reached;
    try {
      const row = await this.api.writeProgress(item.id, { file_id: file.id, position, finished });
      if (this.#isSameUser()) this.progressStore.take(row);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
      if (this.#isSameUser()) this.progressStore.note(item, file, reached);
    }
  }

  /** Restores an earlier position; the present one is added to the history. */
  async restore(item: Pick<Item, 'id'>, entry: Pick<ProgressHistoryEntry, 'id'>): Promise<void> {
    const row = await this.api.restoreProgress(item.id, entry.id);
    if (this.#isSameUser()) this.progressStore.take(row);
  }

  /** Resets to unstarted. */
  async forget(item: Pick<Item, 'id' | 'files'>): Promise<void> {
    await this.api.resetProgress(item.id);
    if (this.#isSameUser()) this.progressStore.drop(item);
  }
}

interface Services {
  api: ApiClient;
  progressStore: ProgressStore;
}

/** Resets an item to unstarted. */
export function forgetItem({ api, progressStore }: Services, item: Item): Promise<void> {
  return new ManualProgress(api, progressStore).forget(item);
}

/** Marks an item as finished or unfinished. */
export async function markItem(
  { api, progressStore }: Services,
  item: Item,
  isShow: boolean,
  finished: boolean,
): Promise<void> {
  if (isShow) {
    const params = { path: { id: item.id } };
    await api.http.POST('/api/v1/items/{id}/mark', { params, body: { finished } });
    progressStore.drop(item);
    return;
  }
  const hand = new ManualProgress(api, progressStore);
  for (const file of deciding(item)) {
    const place = progressStore.of(file);
    if (finished) {
      await hand.put(item, file, { position: file.extent ?? place?.position ?? 0, finished: true });
      return; // one finished alternative finishes the item
    }
    if (place?.finished) {
      const position = place.position === file.extent ? 0 : place.position;
      await hand.put(item, file, { position, finished: false });
    }
  }
}
