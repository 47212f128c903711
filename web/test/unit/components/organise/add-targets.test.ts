/** The lists of the dialog to add, and the message about an addition. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ApiClient } from '../../../../src/api/client';
import { QueryCache } from '../../../../src/api/query.svelte';
import { resultText, targetOf } from '../../../../src/components/organise/add-targets';
import { ListSearch } from '../../../../src/components/organise/list-search.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('finds manual collections behind many smart ones', async () => {
  const all = Array.from({ length: 130 }, (_, id) => ({
    ...{ id, name: `Collection ${id}`, kind: id === 3 || id > 110 ? 'manual' : 'smart', item_count: 2 },
  }));
  const GET = vi.fn(
    async (_: string, { params }: { params: { query: { offset?: number; limit: number } } }) => {
      const { offset = 0, limit } = params.query;
      const data = { items: all.slice(offset, offset + limit), total: all.length, offset, limit };
      return { data, response: { ok: true } };
    },
  );
  const target = targetOf('collection', { http: { GET } } as unknown as ApiClient, new QueryCache());
  const query = target.search('');
  await query.load(0);
  const found = target.listsIn(query.data);
  expect(found.map(({ id }) => id)).toEqual([3, ...Array.from({ length: 19 }, (_, at) => 111 + at)]);
  expect([query.data?.total, GET.mock.calls.length]).toEqual([20, 3]);
});

it('says why nothing was added', () => {
  const result = { to: 'playlist' as const, id: 1, name: 'Sea', added: 0, skipped: 2 };
  expect(resultText(result)).toBe('Nothing was added: Sea contains it already.');
  expect(resultText({ ...result, skipped: 0 })).toBe('Nothing was added: there is no file to play.');
  expect(resultText({ ...result, added: 1 })).toBe('Added 1 entry to Sea. 2 were already in it.');
});

it('drops a pending search when the other type is chosen', () => {
  const search = new ListSearch('playlist');
  search.typed(' sea ');
  vi.advanceTimersByTime(200);
  expect([search.to, search.q]).toEqual(['playlist', 'sea']);
  search.typed('sea voyages');
  search.choose('collection');
  vi.advanceTimersByTime(1000);
  expect([search.to, search.q]).toEqual(['collection', '']);
});
