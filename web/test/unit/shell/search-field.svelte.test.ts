/** The search field between what the user types and the address. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Router } from '../../../src/app/router.svelte';
import { SearchField } from '../../../src/shell/search-field.svelte';

/** A router whose page changes end on command. */
class FakeRouter {
  current: Router['current'] = {} as NonNullable<Router['current']>;
  path = $state('/');
  query = $state.raw(new URLSearchParams());
  listeners = new Set<() => void>();
  readonly navigate = vi.fn<(to: string, options?: { replace?: boolean }) => boolean>(() => {
    for (const listener of this.listeners) listener();
    return true;
  });
  readonly updateQuery = vi.fn((changes: Record<string, string | null>) => {
    this.query = new URLSearchParams(changes.q == null ? {} : { q: changes.q });
  });
  onmove(listener: () => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  arrive(path: string, query = '') {
    this.path = path;
    this.query = new URLSearchParams(query);
  }
}

function typing() {
  const router = new FakeRouter();
  const field = new SearchField(router);
  const stop = field.start();
  const type = (text: string) => {
    field.text = text;
    field.typed();
  };
  const arrive = (path: string, query?: string) => {
    router.arrive(path, query);
    field.follow();
  };
  return { router, field, stop, type, arrive };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('searches shortly after the last key', () => {
  const { router, type } = typing();
  type('mo');
  vi.advanceTimersByTime(100);
  type('moby');
  vi.advanceTimersByTime(100);
  expect(router.navigate).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(router.navigate.mock.calls).toEqual([['/search?q=moby', { replace: false }]]);
});

it('keeps further input while the page of results loads, in the same history entry', () => {
  const { router, field, type, arrive } = typing();
  type('mo');
  vi.runAllTimers();
  type('moby');
  vi.runAllTimers();
  expect(router.navigate.mock.lastCall).toEqual(['/search?q=moby', { replace: true }]);
  expect(field.text).toBe('moby');
  arrive('/search', 'q=moby');
  expect(field.text).toBe('moby');
  type('moby d');
  vi.runAllTimers();
  expect(router.updateQuery.mock.lastCall).toEqual([{ q: 'moby d', kind: null, fuzzy: null }]);
});

it('adds an entry to the history after a search that the page refused', () => {
  const { router, type } = typing();
  router.navigate.mockReturnValueOnce(false);
  type('mo');
  vi.runAllTimers();
  type('moby');
  vi.runAllTimers();
  expect(router.navigate.mock.lastCall).toEqual(['/search?q=moby', { replace: false }]);
});

it('drops a pending search when another page opens', () => {
  const { router, field, type } = typing();
  type('moby');
  router.navigate('/history');
  expect(field.text).toBe('');
  vi.runAllTimers();
  expect(router.navigate).toHaveBeenCalledTimes(1);
});

it('follows the address, except while the user types', () => {
  const { field, type, arrive } = typing();
  arrive('/search', 'q=emma');
  expect(field.text).toBe('emma');
  type('emma w');
  arrive('/search', 'q=emma&kind=books');
  expect(field.text).toBe('emma w');
  vi.runAllTimers();
  arrive('/');
  expect(field.text).toBe('');
});

it('an empty search removes the query', () => {
  const { router, field, arrive } = typing();
  arrive('/search', 'q=emma');
  field.clear();
  expect(router.updateQuery.mock.lastCall).toEqual([{ q: null, kind: null, fuzzy: null }]);
  expect(router.navigate).not.toHaveBeenCalled();
});

it('stops with its component', () => {
  const { router, stop, type } = typing();
  type('moby');
  stop();
  vi.runAllTimers();
  expect(router.navigate).not.toHaveBeenCalled();
  expect(router.listeners.size).toBe(0);
});

it('keeps exact matches for the same query only', () => {
  const { router, field, type, arrive } = typing();
  arrive('/search', 'q=emma&fuzzy=false');
  field.search();
  expect(router.updateQuery.mock.lastCall).toEqual([{ q: 'emma', kind: null }]);
  type('emmas');
  vi.runAllTimers();
  expect(router.updateQuery.mock.lastCall).toEqual([{ q: 'emmas', kind: null, fuzzy: null }]);
});

it('keeps text that is typed before the first page arrives', () => {
  const router = new FakeRouter();
  const first = router.current;
  router.current = null;
  const field = new SearchField(router);
  const stop = field.start();
  field.text = 'moby';
  field.typed();
  vi.advanceTimersByTime(500);
  expect(router.navigate).not.toHaveBeenCalled();
  router.current = first;
  for (const listener of router.listeners) listener();
  field.follow();
  expect(field.text).toBe('moby');
  vi.advanceTimersByTime(500);
  expect(router.navigate.mock.lastCall).toEqual(['/search?q=moby', { replace: false }]);
  stop();
});
