/** Keys of cached responses about playlists. The dot separates ids that begin with each other. */
import type { QueryCache } from '../query.svelte';

export const listKey = (filter: unknown): string => `playlists:${JSON.stringify(filter)}`;
export const playlistKey = (id: number): string => `playlist:${id}.`;
export const entriesKey = (id: number): string => `playlist:${id}.entries`;

/** A playlist changed elsewhere: by an addition, for example. */
export function expirePlaylist(cache: Pick<QueryCache, 'expire'>, id: number): void {
  cache.expire(playlistKey(id));
  cache.expire('playlists:');
}
