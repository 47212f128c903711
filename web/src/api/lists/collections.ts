/** Requests for collections. A version makes a write fail with 412 if another device changed the collection. */
import { engines } from '../../lib/engines';
import { body, type ApiClient } from '../client';
import type { CardPage, Collection, Collections } from '../models';
import type { components, paths } from '../schema';
import { ifMatch, type Added, type Move } from './playlists';
import type { Rule } from './rule';

type Schemas = components['schemas'];
type Query<P extends keyof paths> = paths[P] extends { get: { parameters: { query?: infer Q } } } ? Q : never;
export type CollectionQuery = NonNullable<Query<'/api/v1/collections'>>;
type ItemsQuery = NonNullable<Query<'/api/v1/collections/{id}/items'>>;

/** Details of a new or changed collection. */
export interface CollectionDetails {
  name?: string;
  description?: string | null;
  public?: boolean;
  rule?: Rule;
}
export interface NewCollection extends CollectionDetails {
  name: string;
  kind?: 'manual' | 'smart';
  items?: number[];
}

/** The schema has no members for a rule: its form depends on the server's fields. */
const untyped = <T>(value: object) => value as T;

export class CollectionsApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  list = (query: CollectionQuery, signal?: AbortSignal): Promise<Collections> =>
    body(this.#http.GET('/api/v1/collections', { params: { query }, signal }));
  get = (id: number, signal?: AbortSignal): Promise<Collection> =>
    body(this.#http.GET('/api/v1/collections/{id}', { params: { path: { id } }, signal }));
  /** Without a sort order, the items have the order of the owner or of the rule. */
  items = (
    id: number,
    query: { sort?: string; order?: string; offset: number; limit: number },
    signal?: AbortSignal,
  ): Promise<CardPage> => {
    const params = { path: { id }, query: { ...query, engines: engines() } as ItemsQuery };
    return body(this.#http.GET('/api/v1/collections/{id}/items', { params, signal }));
  };

  create = (collection: NewCollection): Promise<Collection> =>
    body(this.#http.POST('/api/v1/collections', { body: untyped<Schemas['CreateCollection']>(collection) }));
  change = (id: number, change: CollectionDetails, version: number): Promise<Collection> =>
    body(
      this.#http.PATCH('/api/v1/collections/{id}', {
        params: { path: { id }, ...ifMatch(version) },
        body: untyped<Schemas['UpdateCollection']>(change),
      }),
    );
  /** Deletes a collection in any version, because the user confirmed it. */
  delete = (id: number): Promise<void> =>
    body(this.#http.DELETE('/api/v1/collections/{id}', { params: { path: { id } } }));

  /** Adds items at the end, or before the item at an index. */
  add = (id: number, what: { items: number[]; at?: number }): Promise<Added> =>
    body(this.#http.POST('/api/v1/collections/{id}/items', { params: { path: { id } }, body: what }));
  move = (id: number, move: Move[], version: number): Promise<Collection> =>
    body(
      this.#http.PATCH('/api/v1/collections/{id}/items', {
        params: { path: { id }, ...ifMatch(version) },
        body: { move },
      }),
    );
  remove = (id: number, items: readonly number[], version: number): Promise<Collection> =>
    body(
      this.#http.DELETE('/api/v1/collections/{id}/items', {
        params: { path: { id }, query: { id: items.join() }, ...ifMatch(version) },
      }),
    );

  /** Returns the first items that a rule selects. The server stores nothing. */
  preview = (rule: Rule, limit: number, signal?: AbortSignal): Promise<CardPage> =>
    body(
      this.#http.POST('/api/v1/collections/preview', {
        params: { query: { limit, engines: engines() } },
        body: { rule: untyped<Schemas['PreviewRule']['rule']>(rule) },
        signal,
      }),
    );
}
