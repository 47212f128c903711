/** A long list in pages, and changes to its order. */
import { describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import { PAGE, PagedList } from '../../../src/api/lists/paged-list';
import { QueryCache } from '../../../src/api/query.svelte';
import { EntryEditor, sourceOf } from '../../../src/components/organise/entries/entry-editor.svelte';

interface One {
  id: number;
}

/** A list of the server with `total` entries, of which some pages are loaded. */
async function stand(total: number, ...pages: number[]) {
  const server = { all: Array.from({ length: total }, (_, id) => ({ id })), version: 1 };
  const fetched = vi.fn(async ({ offset, limit }: { offset: number; limit: number }) => ({
    ...{ items: server.all.slice(offset, offset + limit), total: server.all.length, offset, limit },
  }));
  const list = new PagedList<One>(new QueryCache(), 'list', fetched);
  for (const page of pages) await list.page(page).load(0);
  const check = (version: number) => {
    if (version !== server.version) throw new ApiError(412, 'precondition_failed', 'Another version.');
    server.version += 1;
  };
  const api = {
    move: vi.fn(async (moves: { id: number; to: number }[], version: number) => {
      check(version);
      for (const { id, to } of moves) {
        const [one] = server.all.splice(
          server.all.findIndex((entry) => entry.id === id),
          1,
        );
        server.all.splice(to, 0, one!);
      }
      return { version: server.version };
    }),
    remove: vi.fn(async (ids: readonly number[], version: number) => {
      check(version);
      server.all = server.all.filter(({ id }) => !ids.includes(id));
      return { version: server.version };
    }),
  };
  const add = vi.fn(async (entry: One, at: number) => {
    server.all.splice(at, 0, entry);
    return { version: (server.version += 1) };
  });
  let shown = 1;
  const reload = vi.fn(() => void (shown = server.version));
  const editor = new EntryEditor<One, { version: number }>({ ...api, add }, list, {
    version: () => shown,
    saved: ({ version }) => void (shown = version),
    added: (version) => void (shown = version),
    reload,
  });
  const ids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => list.at(from + at)?.id);
  /** Waits for the changes, and for the pages that they request. */
  const settled = async () => {
    await editor.settled();
    const waiting = pages.map((page) => list.page(page)).filter(({ loading }) => loading);
    await Promise.all(waiting.map((page) => page.load(0)));
  };
  return { server, list, api, add, editor, ids, settled, reload, fetched };
}

describe('a list in pages', () => {
  it('maps an index after a move to the one before', () => {
    const order = (from: number, to: number) => [0, 1, 2, 3, 4].map((n) => sourceOf(n, from, to));
    expect(order(1, 3)).toEqual([0, 2, 3, 1, 4]);
    expect(order(3, 1)).toEqual([0, 3, 1, 2, 4]);
    expect(order(2, 2)).toEqual([0, 1, 2, 3, 4]);
  });

  it('shows a move across pages at once, and sends it', async () => {
    const { ids, editor, server, settled, fetched } = await stand(150, 0, 1, 2);
    const calls = fetched.mock.calls.length;
    editor.move(2, 2, 100);
    expect([ids(0, 4), ids(99, 102)]).toEqual([
      [0, 1, 3, 4],
      [100, 2, 101],
    ]);
    await settled();
    expect(server.all.findIndex(({ id }) => id === 2)).toBe(100);
    expect(fetched.mock.calls.length).toBe(calls);
  });

  it('shortens all loaded pages after a removal', async () => {
    const { ids, list, editor, server, settled } = await stand(65, 0, 1);
    editor.remove(1, 1);
    expect([ids(0, 3), list.first.data?.total, list.page(1).data?.items.length]).toEqual([[0, 2, 3], 64, 4]);
    await settled();
    expect(server.all.length).toBe(64);
  });

  it('waits for the server where a page is not loaded', async () => {
    const { ids, list, editor, settled } = await stand(300, 0);
    const release = list.first.hold();
    editor.move(0, 0, 299);
    expect(ids(0, 2)).toEqual([0, 1]);
    await settled();
    expect(ids(0, 2)).toEqual([1, 2]);
    expect(list.first.data?.items.length).toBe(PAGE);
    release();
  });

  it('unites the moves that wait, and sends one request at a time with the latest version', async () => {
    const { api, editor, server, settled } = await stand(10, 0);
    editor.move(0, 0, 1);
    editor.move(0, 1, 2);
    editor.move(0, 2, 3);
    editor.remove(5, 5);
    await settled();
    expect(api.move.mock.calls.map(([moves, version]) => [moves.length, version])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect(api.remove.mock.calls).toEqual([[[5], 3]]);
    expect(server.all.map(({ id }) => id)).toEqual([1, 2, 3, 0, 4, 6, 7, 8, 9]);
  });

  it('adds a removed entry after its removal, and moves it in the new version', async () => {
    const { api, list, ids, editor, server, settled } = await stand(4, 0);
    const release = list.first.hold();
    editor.remove(1, 1);
    editor.add({ id: 1 }, 1);
    editor.move(3, 2, 0);
    await settled();
    expect(editor.problem).toBeNull();
    expect(api.move.mock.calls.map(([, version]) => version)).toEqual([3]);
    expect([server.all.map(({ id }) => id), ids(0, 4)]).toEqual([
      [3, 0, 1, 2],
      [3, 0, 1, 2],
    ]);
    release();
  });

  it('does not add an entry whose removal was rejected', async () => {
    const { add, editor, server, settled } = await stand(4, 0);
    server.version = 5;
    editor.remove(1, 1);
    editor.add({ id: 1 }, 1);
    await settled();
    expect([editor.problem?.isStale, add.mock.calls.length, server.all.length]).toEqual([true, 0, 4]);
  });

  it('shows the list of the server after a conflict', async () => {
    const { list, ids, editor, server, settled, reload } = await stand(10, 0);
    const release = list.first.hold();
    server.all.reverse();
    server.version = 5;
    editor.move(0, 0, 1);
    editor.move(0, 1, 2);
    await settled();
    expect(editor.problem?.isStale).toBe(true);
    expect(reload).toHaveBeenCalledTimes(1);
    expect(ids(0, 3)).toEqual([9, 8, 7]);
    editor.move(9, 0, 1);
    expect(editor.problem).toBeNull();
    await settled();
    expect(server.all.slice(0, 2).map(({ id }) => id)).toEqual([8, 9]);
    release();
  });
});
