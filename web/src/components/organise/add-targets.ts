/** The lists that a user adds to: playlists and manual collections. */
import type { ApiClient } from '../../api/client';
import type { Collection, Collections } from '../../api/models';
import { collectionsKey, expireCollection } from '../../api/lists/collection-keys';
import { CollectionsApi } from '../../api/lists/collections';
import { expirePlaylist, listKey } from '../../api/lists/playlist-keys';
import { PlaylistsApi, type Additions } from '../../api/lists/playlists';
import type { Query, QueryCache } from '../../api/query.svelte';
import type { AddTarget } from '../../app/add-request.svelte';
import { t } from '../../i18n';
import '../../i18n/lists/collections';
import '../../i18n/lists/entries';
import '../../i18n/lists/playlists';

export interface TargetList {
  id: number;
  name: string;
  cover: { url: string } | null;
  /** The number of entries as text. */
  size: string;
}

/** The result of an addition. */
export interface AddResult {
  to: AddTarget;
  id: number;
  name: string;
  added: number;
  skipped: number;
}

export interface Target {
  /** Returns the user's lists whose name contains `q`, newest first. */
  search(q: string): Query<{ total: number; items: unknown[] }>;
  /** Returns the lists of a response that accept entries. */
  listsIn(data: unknown): TargetList[];
  add(list: TargetList, what: Additions, skips: boolean): Promise<AddResult>;
  create(name: string, what: Additions): Promise<AddResult>;
}

const LIMIT = 50;
const filterOf = (q: string) =>
  ({ own: true, sort: 'updated', order: 'desc', limit: LIMIT, ...(q === '' ? {} : { q }) }) as const;

function playlistTarget(api: ApiClient, cache: QueryCache): Target {
  const playlists = new PlaylistsApi(api);
  type Data = Awaited<ReturnType<typeof playlists.list>>;
  return {
    search: (q) => cache.get(listKey(filterOf(q)), (signal) => playlists.list(filterOf(q), signal)),
    listsIn: (data) =>
      (data as Data).items.map(({ id, name, cover, entry_count: count }) => {
        return { id, name, cover, size: t('playlists.entries', { count }) };
      }),
    async add({ id, name }, what, skips) {
      const { added, skipped } = await playlists.add(id, { ...what, skip_existing: skips });
      return { to: 'playlist', id, name, added, skipped };
    },
    async create(name, what) {
      const { id, entry_count: added } = await playlists.create({ name, ...what });
      return { to: 'playlist', id, name, added, skipped: 0 };
    },
  };
}

/** Fetches collections page by page until enough of them are manual: the server does not filter by their kind. */
async function manualCollections(
  collections: CollectionsApi,
  q: string,
  signal: AbortSignal,
): Promise<Collections> {
  const items: Collection[] = [];
  for (let offset = 0; ; offset += LIMIT) {
    const page = await collections.list({ ...filterOf(q), offset }, signal);
    items.push(...page.items.filter(({ kind }) => kind === 'manual'));
    const isEnd = offset + LIMIT >= page.total;
    if (isEnd || items.length >= LIMIT) return { ...page, items, total: isEnd ? items.length : page.total };
  }
}

function collectionTarget(api: ApiClient, cache: QueryCache): Target {
  const collections = new CollectionsApi(api);
  const itemsOf = (what: Additions) => ('items' in what ? what.items : []);
  return {
    search: (q) =>
      cache.get(collectionsKey({ ...filterOf(q), kind: 'manual' }), (signal) =>
        manualCollections(collections, q, signal),
      ),
    listsIn: (data) =>
      (data as Collections).items.map(({ id, name, cover, item_count }) => {
        const size = t('collections.items', { count: item_count ?? 0 });
        return { id, name, cover: cover ?? null, size };
      }),
    async add({ id, name }, what) {
      const { added, skipped } = await collections.add(id, { items: itemsOf(what) });
      return { to: 'collection', id, name, added, skipped };
    },
    async create(name, what) {
      const items = itemsOf(what);
      const { id } = await collections.create({ name, items });
      return { to: 'collection', id, name, added: items.length, skipped: 0 };
    },
  };
}

export const targetOf = (to: AddTarget, api: ApiClient, cache: QueryCache): Target =>
  to === 'playlist' ? playlistTarget(api, cache) : collectionTarget(api, cache);

/** Returns the message about an addition. */
export function resultText({ added, skipped, name, to }: AddResult): string {
  if (added === 0) return skipped > 0 ? t('playlist.addedNone', { name }) : t('playlist.addedNothing');
  const parts = [t(`${to}.added`, { count: added, name })];
  if (skipped > 0) parts.push(t('playlist.skipped', { count: skipped }));
  return parts.join(' ');
}

export function expireTarget(cache: QueryCache, { to, id }: AddResult): void {
  if (to === 'playlist') expirePlaylist(cache, id);
  else expireCollection(cache, id);
}
