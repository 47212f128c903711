/** Requests for tags and ratings. */
import { body, type ApiClient } from '../client';
import type { CountedTags, Tag } from '../models';

export class OrganiseApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  tags = (query: { limit: number }, signal?: AbortSignal): Promise<CountedTags> =>
    body(this.#http.GET('/api/v1/tags', { params: { query }, signal }));
  setTags = async (id: number, tags: string[], shared: boolean): Promise<Tag[]> => {
    const call = { params: { path: { id } }, body: { tags, shared } };
    return (await body(this.#http.PUT('/api/v1/items/{id}/tags', call))).tags;
  };
  /** Stores a rating, or removes it with null. */
  setRating = (id: number, rating: number | null): Promise<void> => {
    const params = { path: { id } };
    const path = '/api/v1/items/{id}/rating';
    return body(
      rating === null
        ? this.#http.DELETE(path, { params })
        : this.#http.PUT(path, { params, body: { rating } }),
    );
  };
}
