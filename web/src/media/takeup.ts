/** Taking up what was kept over a reload: the things that are still there, and what of them is to play. */
import { ApiError, type ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/types';
import type { Places } from '../progress/places.svelte';
import type { Ids } from './kept';
import { queueFor } from './queue';
import { heardFiles } from './heard';
import { type Entry, type Opening, type Upcoming } from './upcoming.svelte';

/** How many things are asked for at once: a page of the queue, and few enough to leave the server its breath. */
const BATCH = 8;
/** How many entries are at hand, where there are as many: enough to see what comes, and to go on at once. */
const ENOUGH = 8;

type Api = Pick<ApiClient, 'item'>;

/** What was kept and is there. */
export interface Found extends Pick<Entry, 'item' | 'file'> {
  ids: Ids;
  heard: readonly MediaFile[];
}

/** What is there of the first of those kept, and what comes after them; null where the server did not say. */
export async function takeUpFirst(
  api: Api,
  kept: readonly Ids[],
): Promise<{ there: Found[]; rest: readonly Ids[] } | null> {
  for (let rest = kept; ;) {
    const there = await takeUp(api, rest.slice(0, BATCH));
    rest = rest.slice(BATCH);
    if (!there) return null;
    if (there.length > 0 || rest.length === 0) return { there, rest };
  }
}

/** Fetches the rest of the queue, a batch after the other, as far as it is wanted. */
export class TakeUp {
  #asking: Promise<void> | null = null;

  constructor(
    private readonly api: Api,
    private readonly upcoming: Upcoming,
  ) {}

  /** Has enough at hand to go on with. */
  refill(): void {
    if (this.#isShort) void this.more();
  }

  /** Fetches the next ones. What the server did not say stays where it is, for the next time. */
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
      const there = await takeUp(this.api, asked);
      if (!there) return;
      this.upcoming.arrive(asked, there);
    } while (this.#isShort);
  }
}

/** What is still there, in its order; null where the server did not say. */
async function takeUp(api: Api, kept: readonly Ids[]): Promise<Found[] | null> {
  const items = await fetchItems(api, kept);
  return items && kept.flatMap((ids) => entryOf(ids, items.get(ids.item)));
}

async function fetchItems(api: Api, kept: readonly Ids[]): Promise<Map<number, Item> | null> {
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
    return null; // it stays kept
  }
}

/** What was kept, as an entry of things that are there; none where it lost what was to play. */
function entryOf(ids: Ids, item: Item | undefined): Found[] {
  const heard = item ? heardFiles(item) : [];
  const file = ids.alone ? (heard.find((one) => one.id === ids.file) ?? null) : null;
  return !item || heard.length === 0 || (ids.alone && !file) ? [] : [{ ids, item, file, heard }];
}

/** What played goes on in its file. */
export function openingAt(now: Found | undefined, places: Pick<Places, 'resume'>): Opening | null {
  const file = now?.heard.find((one) => one.id === now.ids.file);
  if (!now || !file) return null;
  const files = now.file ? [file] : queueFor(now.item, file);
  return { files, index: Math.max(0, files.indexOf(file)), from: places.resume(file) };
}
