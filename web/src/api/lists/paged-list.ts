/** A long list in pages of sixty, fetched before they scroll into view, and changed in place. */
import type { Query, QueryCache } from '../query.svelte';

export const PAGE = 60;

export interface Page<T> {
  items: T[];
  total: number;
  offset: number;
  limit: number;
}
type Fetch<T> = (query: { offset: number; limit: number }, signal?: AbortSignal) => Promise<Page<T>>;

export class PagedList<T> {
  /** `key` is the prefix of the keys of its pages in the cache. */
  constructor(
    private readonly cache: QueryCache,
    private readonly key: string,
    readonly fetch: Fetch<T>,
  ) {}

  page(number: number): Query<Page<T>> {
    return this.cache.get(`${this.key}:${number}`, (signal) =>
      this.fetch({ offset: number * PAGE, limit: PAGE }, signal),
    );
  }

  get first(): Query<Page<T>> {
    return this.page(0);
  }

  /** Returns the entry at `index` if its page is loaded. */
  at(index: number): T | undefined {
    return this.page(Math.floor(index / PAGE)).data?.items[index % PAGE];
  }

  /**
   * Changes the loaded pages: entry n becomes the one that `source(n)` returns. A page of which an entry is not loaded
   * stays as it is. Returns true if all loaded pages changed, and no page was being fetched.
   */
  rearrange(total: number, source: (n: number) => T | undefined): boolean {
    const changed = new Map<number, T[]>();
    let isComplete = !this.cache.isLoading(`${this.key}:`);
    const before = this.first.data?.total ?? 0;
    for (let number = 0; number * PAGE < Math.max(before, total, 1); number += 1) {
      if (!this.cache.peek<Page<T>>(`${this.key}:${number}`)) continue;
      const size = Math.max(0, Math.min(PAGE, total - number * PAGE));
      const items = Array.from({ length: size }, (_, at) => source(number * PAGE + at));
      if (items.every((one) => one !== undefined)) changed.set(number, items as T[]);
      else isComplete = false;
    }
    for (const [number, items] of changed)
      this.page(number).set({ items, total, offset: number * PAGE, limit: PAGE });
    return isComplete;
  }

  /** Fetches the visible pages again, others at their next use. */
  expire(): void {
    this.cache.expire(`${this.key}:`);
  }

  /** Fetches all pages again at their next use. */
  markStale(): void {
    this.cache.markStale(`${this.key}:`);
  }
}
