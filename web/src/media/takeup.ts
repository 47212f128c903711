/** Taking up what was kept over a reload: the things that are still there, and what of them is to play. */
import { ApiError, type ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/types';
import type { Places } from '../progress/places.svelte';
import type { Ids } from './kept';
import { queueFor } from './queue';
import { heardFiles, type Entry, type Opening } from './upcoming.svelte';

/** What was kept and is there. */
export interface Found extends Pick<Entry, 'item' | 'file'> {
  ids: Ids;
  heard: readonly MediaFile[];
}

/** What is still there, in its order; null where the server did not say. */
export async function takeUp(api: Pick<ApiClient, 'item'>, kept: readonly Ids[]): Promise<Found[] | null> {
  const items = await fetchItems(api, kept);
  return items && kept.flatMap((ids) => entryOf(ids, items.get(ids.item)));
}

async function fetchItems(
  api: Pick<ApiClient, 'item'>,
  kept: readonly Ids[],
): Promise<Map<number, Item> | null> {
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
    return null; // it stays kept, for the next reload
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
