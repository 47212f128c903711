import { describe, expect, it, vi } from 'vitest';
import type { ApiClient, ItemQuery } from '../../../../src/api/client';
import type { Card } from '../../../../src/api/models';
import { PagedList } from '../../../../src/api/lists/paged-list';
import { QueryCache } from '../../../../src/api/query.svelte';
import { PagedItems } from '../../../../src/catalogue/paged-items.svelte';
import { Refused } from '../../../../src/components/select/refused';
import { MOST_IDS, Selection } from '../../../../src/components/select/selection.svelte';

const card = (id: number) => ({ id }) as Card;
const cardsFrom = (id: number, length: number) => Array.from({ length }, (_, n) => card(id + n));
const cards = cardsFrom(1, 10);

/** A list of this many items with the ids from 1, of which the first page is loaded. */
function paged(total: number, filter: ItemQuery = { kind: 'books' }) {
  const items = vi.fn(async (query: ItemQuery) => {
    const { offset = 0, limit = 0 } = query as { offset?: number; limit?: number };
    const size = Math.min(limit, total - offset);
    return { items: cardsFrom(offset + 1, size), total, offset, limit };
  });
  const api = { items } as unknown as ApiClient;
  const page = { data: { items: cardsFrom(1, 60) } };
  const cache = {
    get: (key: string) => (key.endsWith(':0') ? page : { data: undefined }),
  } as unknown as QueryCache;
  return { items, list: new PagedItems(api, cache, filter) };
}

const idsOf = (selection: Selection) => {
  const { request } = selection;
  return 'ids' in request ? request.ids : request;
};

describe('selection', () => {
  it('begins with the first item and removes it again', () => {
    const selection = new Selection();
    expect(selection.active).toBe(false);
    selection.toggle(cards, 10, 2, 3);
    selection.toggle(cards, 10, 4, 5);
    expect([selection.active, selection.count, selection.has(3)]).toEqual([true, 2, true]);
    selection.toggle(cards, 10, 2, 3);
    expect(idsOf(selection)).toEqual([5]);
    selection.end();
    expect([selection.active, selection.count, selection.total]).toEqual([false, 0, 0]);
  });

  it('extends in both directions from the last item', async () => {
    const selection = new Selection();
    selection.toggle(cards, 10, 4, 5);
    await selection.extend(cards, 10, 6);
    await selection.extend(cards, 10, 3);
    expect(idsOf(selection)).toEqual([5, 6, 7, 4]);
  });

  it('requests the pages of a range that are not loaded', async () => {
    const { items, list } = paged(900);
    const selection = new Selection();
    selection.toggle(list, 900, 1, 2);
    await selection.extend(list, 900, 5);
    expect(items).not.toHaveBeenCalled();
    await selection.extend(list, 900, 700);
    expect(items).toHaveBeenCalledTimes(2);
    expect(selection.count).toBe(700);
    expect([selection.has(2), selection.has(701), selection.has(702)]).toEqual([true, true, false]);
  });

  it('ignores a range that arrives after a later selection', async () => {
    const { list } = paged(900);
    const selection = new Selection();
    selection.toggle(list, 900, 0, 1);
    const late = selection.extend(list, 900, 500);
    selection.toggle(list, 900, 0, 1);
    await late;
    expect(selection.count).toBe(0);
  });

  it('selects all items by ids, and more than one edit allows by the filter', async () => {
    const few = paged(MOST_IDS);
    const selection = new Selection();
    await selection.selectAll(few.list, MOST_IDS);
    expect([selection.count, selection.isAll]).toEqual([MOST_IDS, true]);
    const filter = { kind: 'books', genre: '3,4', library: null, engines: '', sort: 'title', order: 'asc' };
    const many = paged(5000, filter as ItemQuery);
    await selection.selectAll(many.list, 5000);
    expect(many.items).not.toHaveBeenCalled();
    expect(selection.request).toEqual({ filter: { kind: 'books', genre: '3,4' }, expected: 5000 });
    expect([selection.count, selection.has(4711)]).toEqual([5000, true]);
  });

  it('selects a list without a filter by its ids only', async () => {
    const pages = (total: number) =>
      new PagedList<Card>(new QueryCache(), 'list', async ({ offset, limit }) => {
        const items = cardsFrom(offset + 1, Math.min(limit, total - offset));
        return { items, total, offset, limit };
      });
    const selection = new Selection();
    const onerror = (selection.onerror = vi.fn());
    await selection.selectAll(pages(MOST_IDS), MOST_IDS);
    expect([selection.count, selection.isAll]).toEqual([MOST_IDS, true]);
    selection.end();
    await selection.selectAll(pages(MOST_IDS + 1), MOST_IDS + 1);
    expect([selection.active, selection.count]).toEqual([false, 0]);
    expect(onerror.mock.calls[0]?.[0]).toBeInstanceOf(Refused);
  });

  it('keeps the selection of a filter, and reports a click on a single item', async () => {
    const { list } = paged(5000);
    const selection = new Selection();
    const onerror = (selection.onerror = vi.fn());
    await selection.selectAll(list, 5000);
    selection.toggle(list, 5000, 8, 9);
    await selection.extend(list, 5000, 12);
    expect(selection.count).toBe(5000);
    expect(onerror).toHaveBeenCalledTimes(2);
    expect(onerror.mock.calls[0]?.[0]).toBeInstanceOf(Refused);
  });

  it('selects a range of the limit, and refuses a longer one', async () => {
    const { items, list } = paged(5000);
    const selection = new Selection();
    const onerror = (selection.onerror = vi.fn());
    selection.toggle(list, 5000, 0, 1);
    await selection.extend(list, 5000, MOST_IDS);
    expect(items).not.toHaveBeenCalled();
    expect(onerror.mock.calls[0]?.[0]).toBeInstanceOf(Refused);
    expect(idsOf(selection)).toEqual([1]);
    await selection.extend(list, 5000, MOST_IDS - 1);
    expect(selection.count).toBe(MOST_IDS);
    expect(onerror).toHaveBeenCalledTimes(1);
  });

  it('reports a failed request, but not that of an older selection', async () => {
    const { items, list } = paged(900);
    const selection = new Selection();
    const onerror = (selection.onerror = vi.fn());
    const error = new Error('gone');
    items.mockRejectedValue(error);
    selection.toggle(list, 900, 0, 1);
    await selection.extend(list, 900, 500);
    await selection.selectAll(list, 900);
    expect(onerror.mock.calls).toEqual([[error], [error]]);
    expect(idsOf(selection)).toEqual([1]);
    const late = selection.extend(list, 900, 500);
    selection.toggle(list, 900, 1, 2);
    await late;
    expect(onerror).toHaveBeenCalledTimes(2);
  });

  it('begins a range anew in another list, and continues it in refreshed cards', async () => {
    const others = [21, 22, 23, 24].map(card);
    const selection = new Selection();
    selection.toggle(cards, 10, 4, 5);
    await selection.extend(others, 4, 1);
    expect(idsOf(selection)).toEqual([5, 22]);
    await selection.extend([...others], 4, 3);
    expect(idsOf(selection)).toEqual([5, 22, 23, 24]);
    expect(selection.isAll).toBe(false);
    await selection.selectAll(others, 4);
    expect([idsOf(selection), selection.isAll]).toEqual([[21, 22, 23, 24], true]);
  });
});
