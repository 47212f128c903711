/** Changes of an owner to a list: the focus, the messages, and the undo of a removal. */
import { expect, it, vi } from 'vitest';
import { ApiError } from '../../../../src/api/client';
import { PagedList } from '../../../../src/api/lists/paged-list';
import { QueryCache } from '../../../../src/api/query.svelte';
import { ListEditing } from '../../../../src/components/organise/entries/list-editing.svelte';

interface Entry {
  id: number;
  title: string;
}

/** A list of `titles` on a server whose responses wait for `answer`. */
async function stand(...titles: string[]) {
  let all: Entry[] = titles.map((title, id) => ({ id, title }));
  let version = 1;
  const cache = new QueryCache();
  const query = cache.get('list', async () => ({ version }));
  const entries = new PagedList<Entry>(cache, 'list.entries', async (page) => {
    return { items: [...all], total: all.length, ...page };
  });
  await Promise.all([query.load(0), entries.first.load(0)]);
  const change = async (given: number | null, next: () => Entry[]) => {
    await Promise.resolve();
    if (given !== null && given !== version) throw new ApiError(412, 'precondition_failed', 'Another.');
    all = next();
    version += 1;
    return { version };
  };
  const api = {
    move: vi.fn((_moves: { id: number; to: number }[], given: number) => change(given, () => all)),
    remove: vi.fn((ids: readonly number[], given: number) =>
      change(given, () => all.filter(({ id }) => !ids.includes(id))),
    ),
    add: vi.fn((entry: Entry, at: number) => change(null, () => all.toSpliced(at, 0, entry))),
  };
  const focus = vi.fn();
  const editing = new ListEditing<Entry, { version: number }>({
    ...{ entries, query, api, focus, saved: () => {}, reload: () => cache.markStale('list') },
    texts: {
      ...{ stale: 'playlist.stale', remove: 'playlist.remove' },
      ...{ earlier: 'playlist.up', later: 'playlist.down' },
    },
  });
  const other = () => void (version += 1);
  return { editing, api, focus, query, other, order: () => all.map(({ title }) => title) };
}

const at = (title: string, id: number) => ({ id, title });

it('an undo during the removal brings the entry back, and the next move has its version', async () => {
  const { editing, api, order, query } = await stand('A', 'B', 'C');
  editing.remove(at('B', 1), 1);
  await editing.undo();
  expect(order()).toEqual(['A', 'B', 'C']);
  expect(query.data?.version).toBe(3);
  editing.move(at('A', 0), 0, 1);
  expect(api.move.mock.lastCall?.[1]).toBe(3);
  expect(editing.message).toBe('');
});

it('the focus stays in the list, and moves to the heading without entries', async () => {
  const { editing, focus } = await stand('A', 'B');
  editing.remove(at('B', 1), 1);
  expect(focus.mock.lastCall).toEqual([0]);
  editing.dismiss();
  expect([editing.removed, focus.mock.calls.length]).toEqual([null, 2]);
  editing.remove(at('A', 0), 0);
  expect(focus.mock.lastCall).toEqual([null]);
  await editing.undo();
  expect(focus.mock.lastCall).toEqual([null]);
});

it('a rejected removal offers no undo, and shows the reason until the next change', async () => {
  const { editing, order, other } = await stand('A', 'B', 'C');
  other();
  editing.remove(at('B', 1), 1);
  expect(editing.removed?.entry.title).toBe('B');
  await vi.waitFor(() => expect(editing.message).not.toBe(''));
  expect([editing.removed, order().length]).toEqual([null, 3]);
  editing.move(at('A', 0), 0, 1);
  expect(editing.message).toBe('');
});

it('a menu offers only possible moves', async () => {
  const { editing } = await stand('A', 'B', 'C');
  const icons = (index: number) => editing.choicesOf(at('A', 0), index).map(({ icon }) => icon);
  expect(icons(0)).toEqual(['sortDown', 'sortDown', 'trash']);
  expect(icons(1)).toEqual(['sortUp', 'sortDown', 'trash']);
  expect(icons(2)).toEqual(['sortUp', 'sortUp', 'trash']);
});
