import { beforeEach, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../../../src/api/client';
import { QueryCache } from '../../../../src/api/query.svelte';
import { BulkEdit } from '../../../../src/components/select/bulk-edit.svelte';
import { Refused } from '../../../../src/components/select/refused';

const PATCH = vi.fn();
const cache = new QueryCache();
const selection = { request: { ids: [1, 2] }, count: 2, isAll: false };
const made = () => new BulkEdit({ api: { http: { PATCH } } as unknown as ApiClient, cache }, selection);
const changed = { data: { batch: 7, changed: 2 }, response: { ok: true } };

beforeEach(() => PATCH.mockReset());

it('shows the result of an edit, with its undo', async () => {
  PATCH.mockResolvedValue(changed);
  const edit = made();
  expect(await edit.apply({ rating: 8 })).toBe(true);
  expect(edit.notice).toMatchObject({ batch: 7, isError: false });
});

it('expires lists, playlists and collections after an edit', async () => {
  PATCH.mockResolvedValue(changed);
  const keys = ['items:{}:0', 'item:1', 'home', 'playlist:1:entries', 'collection:1:items', 'tags:all'];
  const fetchers = keys.map((key) => {
    const fetcher = vi.fn(async () => key);
    cache.get(key, fetcher).hold();
    return fetcher;
  });
  await made().apply({ rating: 8 });
  expect(fetchers.map(({ mock }) => mock.calls.length)).toEqual(keys.map(() => 1));
});

it('shows the text of a refusal, and that of another error', async () => {
  const edit = made();
  edit.report(new Refused('Too many.'));
  expect(edit.notice).toEqual({ text: 'Too many.', batch: null, isError: true });
  edit.report(new TypeError('internal'));
  expect(edit.notice?.text).not.toBe('internal');
});

it('forgets the message and the result of an edit in flight with its user', async () => {
  let answer: (value: unknown) => void = () => {};
  PATCH.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  const edit = made();
  const late = edit.apply({ rating: 8 });
  edit.reset();
  expect(edit.busy).toBe(false);
  answer(changed);
  expect(await late).toBe(false);
  expect(edit.notice).toBeNull();
});
