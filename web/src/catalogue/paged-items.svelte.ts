/** A long list of items in pages of sixty, fetched before they scroll into view. */
import type { ApiClient, ItemQuery } from '../api/client';
import type { Query, QueryCache } from '../api/query.svelte';
import type { Card, CardPage, Letters } from '../api/models';

export const PAGE = 60;

export class PagedItems {
  readonly #key: string;

  constructor(
    private readonly api: ApiClient,
    private readonly cache: QueryCache,
    readonly filter: ItemQuery,
  ) {
    this.#key = JSON.stringify(filter);
  }

  page(number: number): Query<CardPage> {
    return this.cache.get(`items:${this.#key}:${number}`, (signal) =>
      this.fetch({ offset: number * PAGE, limit: PAGE }, signal),
    );
  }

  fetch(window: { offset: number; limit: number }, signal?: AbortSignal): Promise<CardPage> {
    return this.api.items({ ...this.filter, ...window }, signal);
  }

  get first(): Query<CardPage> {
    return this.page(0);
  }

  get letters(): Query<Letters> {
    return this.cache.get(`letters:${this.#key}`, (signal) => this.api.letters(this.filter, signal));
  }

  /** Returns the item at `index` if its page is loaded. */
  at(index: number): Card | undefined {
    return this.page(Math.floor(index / PAGE)).data?.items[index % PAGE];
  }
}
