/** Restores the queue that was saved over a reload: its existing items, and the files to play. */
import { ApiError, type ApiClient } from '../../api/client';
import type { Item, MediaFile } from '../../api/models';
import type { ProgressStore } from '../../progress/progress-store.svelte';
import type { SavedEntry } from './saved-queue';
import { queueFor } from '../../catalogue/file-order';
import { audioFiles, playedFiles } from '../../catalogue/audio-files';
import { viewerTraits } from '../../catalogue/viewer-ids';
import { type Entry, type Opening, type UpcomingQueue } from './upcoming.svelte';

/** Batch size of item requests: a page of the queue, small enough not to load the server. */
const BATCH = 8;
/** Number of entries to keep loaded, if there are as many: enough to show, and to continue at once. */
const ENOUGH = 8;

type Api = Pick<ApiClient, 'item'>;

/** Saved entries whose items exist. */
export interface RestoredEntry extends Pick<Entry, 'item' | 'file' | 'place'> {
  ids: SavedEntry;
  heard: readonly MediaFile[];
}

/** Returns the first saved entries that exist, and the rest; null if the server did not answer. */
export async function loadFirst(
  api: Api,
  kept: readonly SavedEntry[],
): Promise<{ there: RestoredEntry[]; rest: readonly SavedEntry[] } | null> {
  for (let rest = kept; ;) {
    const there = await loadEntries(api, rest.slice(0, BATCH));
    rest = rest.slice(BATCH);
    if (!there) return null;
    if (there.length > 0 || rest.length === 0) return { there, rest };
  }
}

/** Fetches the rest of the queue in batches, as far as needed. */
export class QueueLoader {
  #asking: Promise<void> | null = null;

  constructor(
    private readonly api: Api,
    private readonly upcoming: UpcomingQueue,
  ) {}

  /** Fetches more entries if too few are loaded. */
  refill(): void {
    if (this.#isShort) void this.more();
  }

  /** Fetches the next batch. Entries without a response stay for the next attempt. */
  more(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => (this.#asking = null));
    return this.#asking;
  }

  get #isShort(): boolean {
    return this.upcoming.entries.length < ENOUGH && this.upcoming.rest.length > 0;
  }

  async #ask(): Promise<void> {
    do {
      const asked = this.upcoming.rest.slice(0, BATCH);
      const there = await loadEntries(this.api, asked);
      if (!there) return;
      this.upcoming.arrive(asked, there);
    } while (this.#isShort);
  }
}

/** Returns the existing items in order; null if the server did not answer. */
async function loadEntries(api: Api, kept: readonly SavedEntry[]): Promise<RestoredEntry[] | null> {
  const items = await fetchItems(api, kept);
  return items && kept.flatMap((ids) => entriesOf(ids, items.get(ids.item)));
}

async function fetchItems(api: Api, kept: readonly SavedEntry[]): Promise<Map<number, Item> | null> {
  const ids = [...new Set(kept.map(({ item }) => item))];
  try {
    const found = await Promise.all(
      ids.map((id) =>
        api.item(id).catch((error: unknown) => {
          if (error instanceof ApiError && error.status === 404) return null;
          throw error;
        }),
      ),
    );
    return new Map(found.flatMap((item) => (item ? [[item.id, item]] : [])));
  } catch {
    return null; // it stays saved
  }
}

/** Returns the entries of a saved one; none if its files no longer exist. */
function entriesOf(ids: SavedEntry, item: Item | undefined): RestoredEntry[] {
  if (!item) return [];
  const { place } = ids;
  if (ids.run && ids.run.length > 1) return entriesOfRun(ids, ids.run, item);
  const heard = ids.alone ? playedFiles(item) : audioFiles(item);
  const file = ids.alone ? (heard.find((one) => one.id === ids.file) ?? null) : null;
  return heard.length === 0 || (ids.alone && !file) ? [] : [{ ids, item, file, heard, place }];
}

/** Returns the whole item if the run has all its files, otherwise its files from the current one. */
function entriesOfRun(ids: SavedEntry, run: readonly number[], item: Item): RestoredEntry[] {
  const heard = playedFiles(item);
  const files = run.flatMap((id) => heard.find((one) => one.id === id) ?? []);
  const [first] = files;
  const { place } = ids;
  const isWhole =
    first !== undefined &&
    viewerTraits(first.viewer).background &&
    queueFor(item, first).every(({ id }) => run.includes(id));
  if (isWhole) return [{ ids, item, file: null, heard: files, place }];
  const from = Math.max(
    0,
    files.findIndex((one) => one.id === ids.file),
  );
  return files.slice(from).map((file) => ({ ids, item, file, heard, place }));
}

/** The current item continues in its file. */
export function openingAt(
  now: RestoredEntry | undefined,
  progressStore: Pick<ProgressStore, 'resume'>,
): Opening | null {
  const file = now?.heard.find((one) => one.id === now.ids.file);
  if (!now || !file) return null;
  const files = now.file ? [file] : queueFor(now.item, file);
  return { files, index: Math.max(0, files.indexOf(file)), from: progressStore.resume(file) };
}
