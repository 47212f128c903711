/** Keys of cached responses about items. */
import type { QueryCache } from '../query.svelte';
import { ITEM_KEYS } from '../refresh';

/** Prefixes of the keys of counts and names that a changed item can change. */
const VALUE_KEYS = ['letters:', 'tags:'];

/** Expires all responses that a change of items can concern. */
export function expireItems(cache: Pick<QueryCache, 'expire'>): void {
  for (const prefix of [...ITEM_KEYS, ...VALUE_KEYS]) cache.expire(prefix);
}
