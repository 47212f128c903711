/** Requests for the page of a person. */
import { body, type ApiClient, type ItemQuery } from '../client';
import type { Facets, PersonDetail } from '../models';
import type { paths } from '../schema';

type FacetQuery = paths['/api/v1/items/facets']['get']['parameters']['query'];

export class PeopleApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  person = (id: number, signal?: AbortSignal): Promise<PersonDetail> =>
    body(this.#http.GET('/api/v1/people/{id}', { params: { path: { id } }, signal }));

  /** Counts the items of a person by kind and by subkind. */
  counts = (id: number, signal?: AbortSignal): Promise<Facets> => {
    const query: ItemQuery = { author: id };
    return body(this.#http.GET('/api/v1/items/facets', { params: { query: query as FacetQuery }, signal }));
  };

  setFavourite = (id: number, marked: boolean): Promise<void> => {
    const params = { path: { id } };
    const path = '/api/v1/people/{id}/favourite';
    return body(marked ? this.#http.PUT(path, { params }) : this.#http.DELETE(path, { params }));
  };
}
