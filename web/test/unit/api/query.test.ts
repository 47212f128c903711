import { describe, expect, it, vi } from 'vitest';
import { QueryCache } from '../../../src/api/query.svelte';

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('QueryCache', () => {
  it('sends one request while a response is pending', async () => {
    const answer = deferred<number>();
    const fetcher = vi.fn(() => answer.promise);
    const query = new QueryCache().get('a', fetcher);
    const both = [query.load(1000), query.load(1000)];
    answer.resolve(5);
    await Promise.all(both);
    expect(fetcher).toHaveBeenCalledTimes(1);
    expect(query.data).toBe(5);
    expect(query.loading).toBe(false);
  });

  it('keeps a set value although an older response arrives later', async () => {
    const answer = deferred<number>();
    let signal: AbortSignal | undefined;
    const query = new QueryCache().get('a', (one) => {
      signal = one;
      return answer.promise;
    });
    const asked = query.load(1000);
    query.set(7);
    expect([query.loading, signal?.aborted]).toEqual([false, true]);
    answer.resolve(5);
    await asked;
    expect(query.data).toBe(7);
  });

  it('returns the same query for the same key', () => {
    const cache = new QueryCache();
    expect(cache.get('a', async () => 1)).toBe(cache.get('a', async () => 2));
  });

  it('keeps a fresh result and requests a stale one again', async () => {
    let now = 0;
    const fetcher = vi.fn(async () => now);
    const query = new QueryCache(() => now).get('a', fetcher);
    await query.load(1000);
    now = 999;
    await query.load(1000);
    expect(fetcher).toHaveBeenCalledTimes(1);
    now = 1000;
    await query.load(1000);
    expect(fetcher).toHaveBeenCalledTimes(2);
    expect(query.data).toBe(1000);
  });

  it('keeps its data after a failed request, and retries at the next load', async () => {
    const answers: (() => Promise<number>)[] = [
      async () => 1,
      () => Promise.reject(new Error('away')),
      async () => 2,
    ];
    const query = new QueryCache(() => 0).get('a', () => answers.shift()!());
    await query.load(1000);
    await query.refetch();
    expect(query.data).toBe(1);
    expect(query.error).toBeInstanceOf(Error);
    await query.load(1000);
    expect(query.data).toBe(2);
    expect(query.error).toBeUndefined();
  });

  it('aborts after the last waiting caller is gone', () => {
    const signals: AbortSignal[] = [];
    const query = new QueryCache().get('a', (signal) => {
      signals.push(signal);
      return new Promise<number>(() => {});
    });
    const first = query.hold();
    const second = query.hold();
    void query.load(1000);
    first();
    first();
    expect(signals[0]?.aborted).toBe(false);
    second();
    expect(signals[0]?.aborted).toBe(true);
    expect(query.loading).toBe(false);
  });

  it('discards the result of an aborted request', async () => {
    const slow = deferred<string>();
    const answers = [slow.promise, Promise.resolve('new')];
    const query = new QueryCache().get('a', () => answers.shift()!);
    const old = query.refetch();
    await query.refetch();
    slow.resolve('old');
    await old;
    expect(query.data).toBe('new');
  });

  it('requests expired results at once if they are on screen', async () => {
    const cache = new QueryCache(() => 0);
    const shown = vi.fn(async () => 1);
    const hidden = vi.fn(async () => 1);
    const query = cache.get('items:1', shown);
    query.hold();
    await query.load(1000);
    await cache.get('items:2', hidden).load(1000);
    cache.expire('items:');
    expect(shown).toHaveBeenCalledTimes(2);
    expect(hidden).toHaveBeenCalledTimes(1);
    await cache.get('items:2', hidden).load(1000);
    expect(hidden).toHaveBeenCalledTimes(2);
  });

  it('keeps stale results on screen until they are used again', async () => {
    const cache = new QueryCache(() => 0);
    const fetch = vi.fn(async () => 1);
    const query = cache.get('items:1', fetch);
    query.hold();
    await query.load(1000);
    cache.markStale('items:');
    expect(fetch).toHaveBeenCalledTimes(1);
    await query.load(1000);
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it('evicts the least recently used entries beyond its capacity', () => {
    const cache = new QueryCache(() => 0, 2);
    const a = cache.get('a', async () => 1);
    const b = cache.get('b', async () => 1);
    cache.get('a', async () => 1);
    cache.get('c', async () => 1);
    expect(cache.get('a', async () => 1)).toBe(a);
    expect(cache.get('b', async () => 1)).not.toBe(b);
  });
});
