/** People, series and collections whose name matches a search. */
import type { ApiClient } from '../../api/client';
import { collectionsKey } from '../../api/lists/collection-keys';
import { CollectionsApi } from '../../api/lists/collections';
import type { Query, QueryCache } from '../../api/query.svelte';
import { watch } from '../../api/watch.svelte';

/** Number of names of each group. */
const FEW = 6;

export type NameGroupId = 'people' | 'series' | 'collections';
export interface NameGroup {
  id: NameGroupId;
  total: number;
  /** The number of items is null for smart collections: the server counts them on request only. */
  names: { id: number; name: string; items: number | null }[];
}

type Named = { id: number; name: string; items?: number; item_count?: number | null };
type Found = Query<{ items: Named[]; total: number }>;
type Api = Pick<ApiClient, 'people' | 'series' | 'http'>;

export class FoundNames {
  /** The groups with matches. Those of the previous search stay until the responses to the current one. */
  groups = $state.raw<readonly NameGroup[]>([]);
  readonly #queries = $derived.by((): readonly [NameGroupId, Found][] => this.#ask(this.words()));
  /** True while a response is missing. */
  readonly isPending = $derived(
    this.#queries.some(([, query]) => query.data === undefined && query.error === undefined),
  );

  /** `words` returns the search, or an empty text. Create it during the setup of a component. */
  constructor(
    private readonly api: Api,
    private readonly cache: Pick<QueryCache, 'get'>,
    private readonly words: () => string,
  ) {
    watch(() => this.#queries.map(([, query]) => query), 60_000);
    $effect(() => {
      if (!this.isPending) this.groups = groupsOf(this.#queries);
    });
  }

  #ask(q: string): readonly [NameGroupId, Found][] {
    if (q === '') return [];
    const { api, cache } = this;
    const page = { offset: 0, limit: FEW };
    const lists = new CollectionsApi(api);
    // The keys of names begin like those of items, which expire with them.
    return [
      ['people', cache.get(`items:people:few:${q}`, (signal) => api.people({ q, ...page }, signal))],
      [
        'series',
        cache.get(`items:series:few:${q}`, (signal) => api.series({ q, kind: null, ...page }, signal)),
      ],
      [
        'collections',
        cache.get(collectionsKey({ q, ...page }), (signal) => lists.list({ q, ...page }, signal)),
      ],
    ] as [NameGroupId, Found][];
  }
}

function groupsOf(queries: readonly [NameGroupId, Found][]): NameGroup[] {
  return queries
    .map(([id, { data }]) => ({
      id,
      total: data?.total ?? 0,
      names: (data?.items ?? []).map((one) => ({
        id: one.id,
        name: one.name,
        items: one.items ?? one.item_count ?? null,
      })),
    }))
    .filter(({ names }) => names.length > 0);
}
