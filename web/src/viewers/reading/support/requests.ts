/** Requests of the readers: pages and annotations. */
import { body, type ApiClient } from '../../../api/client';
import type { Annotation } from '../../../api/models';

/** An annotation to create. */
export type NewAnnotation = Pick<Annotation, 'file_id' | 'position' | 'locator' | 'type' | 'text'> & {
  color?: string;
  note?: string;
};

export class ReadingApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  pages = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/kinds/books/files/{id}/pages', { params: { path: { id } }, signal }));
  annotations = (id: number, signal?: AbortSignal) =>
    body(this.#http.GET('/api/v1/items/{id}/annotations', { params: { path: { id } }, signal }));
  annotate = (id: number, annotation: NewAnnotation) =>
    body(this.#http.POST('/api/v1/items/{id}/annotations', { params: { path: { id } }, body: annotation }));
  changeAnnotation = (id: number, annotation: number, change: { note?: string | null; color?: string }) =>
    body(
      this.#http.PATCH('/api/v1/items/{id}/annotations/{annotation}', {
        params: { path: { id, annotation } },
        body: change,
      }),
    );
  removeAnnotation = (id: number, annotation: number) =>
    body(
      this.#http.DELETE('/api/v1/items/{id}/annotations/{annotation}', {
        params: { path: { id, annotation } },
      }),
    );
}
