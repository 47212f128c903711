/** Requests for the queue that the server saves for a user. */
import { body, type ApiClient } from '../client';
import type { Queue } from '../models';
import { ifMatch } from './playlists';
import type { components } from '../schema';

type Schemas = components['schemas'];
export type QueueContent = Required<Schemas['ReplaceQueue']>;
export type QueuePosition = Schemas['UpdateQueue'];

/** Largest number of files of a queue. */
export const MOST_FILES = 1000;

export class QueueApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  get = (query: { offset: number; limit: number }, signal?: AbortSignal): Promise<Queue> =>
    body(this.#http.GET('/api/v1/queue', { params: { query }, signal }));
  replace = (content: QueueContent, version: number | null): Promise<Queue> =>
    body(this.#http.PUT('/api/v1/queue', { params: ifMatch(version), body: content }));
  update = (position: QueuePosition, version: number | null, keepalive = false): Promise<Queue> =>
    body(this.#http.PATCH('/api/v1/queue', { params: ifMatch(version), body: position, keepalive }));
  clear = (version: number): Promise<void> =>
    body(this.#http.DELETE('/api/v1/queue', { params: ifMatch(version) }));
}
