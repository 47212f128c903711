import { flushSync } from 'svelte';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../../src/api/client';
import { QueryCache } from '../../../src/api/query.svelte';
import { watch } from '../../../src/api/watch.svelte';
import { PagedItems } from '../../../src/catalogue/paged-items.svelte';

let end = () => {};
afterEach(() => end());

/** A component that shows a kind's list, as `Browse` does: another object for the kind makes another list. */
function shown(items: ApiClient['items']) {
  const cache = new QueryCache();
  const api = { items } as ApiClient;
  let kind = $state.raw({ id: 'books' });
  end = $effect.root(() => {
    const list = $derived(new PagedItems(api, cache, { kind: kind.id }));
    watch(() => (kind ? list.first : null), 60_000);
    watch(() => [0, 1].map((page) => list.page(page)), 60_000);
  });
  flushSync();
  return (id: string) => {
    kind = { id };
    flushSync();
  };
}

describe('watch', () => {
  it('keeps a request in flight when an equal choice is made again', () => {
    const items = vi.fn<ApiClient['items']>(() => new Promise(() => {}));
    const refresh = shown(items);
    const signals = () => items.mock.calls.map(([, signal]) => signal?.aborted);
    expect(signals()).toEqual([false, false]);
    refresh('books');
    expect(signals()).toEqual([false, false]);
  });

  it('aborts the requests of a choice that is replaced', () => {
    const items = vi.fn<ApiClient['items']>(() => new Promise(() => {}));
    const refresh = shown(items);
    refresh('audio');
    expect(items.mock.calls.map(([query, signal]) => [query.kind, signal?.aborted])).toEqual([
      ['books', true],
      ['books', true],
      ['audio', false],
      ['audio', false],
    ]);
  });
});
