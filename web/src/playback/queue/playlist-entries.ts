/** The entries of a playlist as a queue of the player. */
import type { PlaylistsApi } from '../../api/lists/playlists';
import type { ListEntry } from '../../api/models';
import { MOST_FILES } from '../../api/lists/queue';
import type { SavedEntry } from './saved-queue';

/** Largest page of the server. */
const MOST = 500;
/** Page size of a random part of a long list. */
const PART = 100;

type Api = Pick<PlaylistsApi, 'entries'>;

/** Returns the entries from an index, up to the limit of the queue. */
export async function entriesFrom(api: Api, id: number, from: number): Promise<SavedEntry[]> {
  const windows = Array.from({ length: MOST_FILES / MOST }, (_, page) => from + page * MOST);
  const first = await api.entries(id, { offset: windows[0] ?? 0, limit: MOST });
  const later = windows.slice(1).filter((offset) => offset < first.total);
  const pages = await Promise.all(later.map((offset) => api.entries(id, { offset, limit: MOST })));
  return playable([first, ...pages].flatMap(({ items }) => items));
}

/** Returns all entries; of a list that is longer than a queue, random parts. `random` returns 0 to below 1. */
export async function anyEntries(
  api: Api,
  id: number,
  total: number,
  random: () => number = Math.random,
): Promise<SavedEntry[]> {
  if (total <= MOST_FILES) return entriesFrom(api, id, 0);
  const parts = Array.from({ length: Math.ceil(total / PART) }, (_, part) => part * PART);
  const chosen = parts
    .map((offset) => ({ offset, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, MOST_FILES / PART);
  const pages = await Promise.all(chosen.map(({ offset }) => api.entries(id, { offset, limit: PART })));
  return playable(pages.flatMap(({ items }) => items));
}

function playable(entries: readonly ListEntry[]): SavedEntry[] {
  return entries
    .filter((one) => !one.missing)
    .map(({ item, file_id }) => ({ item: item.id, file: file_id, alone: true }));
}
