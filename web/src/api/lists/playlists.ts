/** Requests for playlists. A version makes a write fail with 412 if another device changed the playlist. */
import { body, type ApiClient } from '../client';
import type { ListEntries, Playlist, Playlists } from '../models';
import type { components, paths } from '../schema';

type Schemas = components['schemas'];
export type PlaylistQuery = NonNullable<paths['/api/v1/playlists']['get']['parameters']['query']>;
export type PlaylistDetails = Schemas['UpdateList'];
export type Move = Schemas['MoveEntry'];
export type Added = Schemas['AddedEntries'];
/** Items or files to add. */
export type Additions = { items: number[] } | { files: number[] };

/** Returns the header that makes a write depend on a version; null for any version. */
export const ifMatch = (version: number | null) =>
  version === null ? {} : { header: { 'If-Match': `"${version}"` } };

export class PlaylistsApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  list = (query: PlaylistQuery, signal?: AbortSignal): Promise<Playlists> =>
    body(this.#http.GET('/api/v1/playlists', { params: { query }, signal }));
  get = (id: number, signal?: AbortSignal): Promise<Playlist> =>
    body(this.#http.GET('/api/v1/playlists/{id}', { params: { path: { id } }, signal }));
  entries = (
    id: number,
    query: { offset: number; limit: number },
    signal?: AbortSignal,
  ): Promise<ListEntries> =>
    body(this.#http.GET('/api/v1/playlists/{id}/entries', { params: { path: { id }, query }, signal }));

  create = (playlist: Schemas['CreatePlaylist']): Promise<Playlist> =>
    body(this.#http.POST('/api/v1/playlists', { body: playlist }));
  change = (id: number, change: PlaylistDetails, version: number): Promise<Playlist> =>
    body(
      this.#http.PATCH('/api/v1/playlists/{id}', {
        params: { path: { id }, ...ifMatch(version) },
        body: change,
      }),
    );
  /** Deletes a playlist in any version, because the user confirmed it. */
  delete = (id: number): Promise<void> =>
    body(this.#http.DELETE('/api/v1/playlists/{id}', { params: { path: { id } } }));

  /** Adds at the end, or before the entry at an index. */
  add = (id: number, what: Additions & { skip_existing?: boolean; at?: number }): Promise<Added> =>
    body(this.#http.POST('/api/v1/playlists/{id}/entries', { params: { path: { id } }, body: what }));
  move = (id: number, move: Move[], version: number): Promise<Playlist> =>
    body(
      this.#http.PATCH('/api/v1/playlists/{id}/entries', {
        params: { path: { id }, ...ifMatch(version) },
        body: { move },
      }),
    );
  remove = (id: number, entries: readonly number[], version: number): Promise<Playlist> =>
    body(
      this.#http.DELETE('/api/v1/playlists/{id}/entries', {
        params: { path: { id }, query: { id: entries.join() }, ...ifMatch(version) },
      }),
    );
}
