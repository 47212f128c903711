/** Requests for edits of many items, and their undo. */
import { body, type ApiClient } from './client';
import type { BulkSet, Undone } from './models';

/** Items of an edit: ids, or a filter with its expected number of items. */
export type Items = { ids: number[] } | { filter: Record<string, unknown>; expected: number };

export class BulkApi {
  readonly #http: ApiClient['http'];

  constructor(api: Pick<ApiClient, 'http'>) {
    this.#http = api.http;
  }

  edit = async (
    items: Items,
    set: BulkSet,
    lock = true,
  ): Promise<{ batch: number | null; changed: number }> => {
    const result = await body(
      this.#http.PATCH('/api/v1/items', { body: { ...items, set, lock, preview: false } }),
    );
    return 'changed' in result
      ? { batch: result.batch ?? null, changed: result.changed }
      : { batch: null, changed: 0 };
  };
  undo = (batch: number): Promise<Undone> =>
    body(this.#http.POST('/api/v1/edits/{batch}/undo', { params: { path: { batch } } }));
  refresh = (ids: number[]) => body(this.#http.POST('/api/v1/items/enrich', { body: { ids, force: true } }));
}
