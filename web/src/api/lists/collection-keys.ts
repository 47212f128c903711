/** Keys of cached responses about collections. The dot separates ids that begin with each other. */
import type { QueryCache } from '../query.svelte';

export const collectionsKey = (filter: unknown): string => `collections:${JSON.stringify(filter)}`;
export const collectionKey = (id: number): string => `collection:${id}.`;
export const collectionItemsKey = (id: number, order: unknown): string =>
  `collection:${id}.items:${JSON.stringify(order)}`;

/** A collection changed elsewhere: by an addition, for example. */
export function expireCollection(cache: Pick<QueryCache, 'expire'>, id: number): void {
  cache.expire(collectionKey(id));
  cache.expire('collections:');
}
