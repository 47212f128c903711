/** Keys of cached responses about items. */
import type { QueryCache } from './query.svelte';

/** Prefixes of the keys of responses that contain items. */
export const ITEM_KEYS: readonly string[] = [
  ...['items:', 'item:', 'home', 'search:', 'history', 'playlist', 'collection'],
];
/** Prefixes of the keys of counts and names that a changed item can change. */
const VALUE_KEYS = ['letters:', 'tags:'];

/** Expires all responses that a change of items can concern. */
export function expireItems(cache: Pick<QueryCache, 'expire'>): void {
  for (const prefix of [...ITEM_KEYS, ...VALUE_KEYS]) cache.expire(prefix);
}
