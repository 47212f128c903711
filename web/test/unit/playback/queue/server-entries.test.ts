/** Entries of the player as files, files of the server's queue as entries, and playlists as queues. */
import { describe, expect, it, vi } from 'vitest';
import type { Item, ListEntries, ListEntry, MediaFile } from '../../../../src/api/models';
import { anyEntries, entriesFrom } from '../../../../src/playback/queue/playlist-entries';
import { loadFirst } from '../../../../src/playback/queue/resume';
import { savedEntriesOf, snapshotOf } from '../../../../src/playback/queue/server-entries';
import type { Entry } from '../../../../src/playback/queue/upcoming.svelte';
import { book, file } from '../fake-player';

const album = { ...book([file(10), file(11), file(12)], 'album'), id: 1 } as Item;
const row = (item: number, id: number) => ({ item: { id: item }, file_id: id });
const entryOf = (item: Item, one: MediaFile | null): Entry => ({ key: 1, item, file: one });

describe('the files of a queue', () => {
  it('are those of the current item, of whole entries, and of entries that are not loaded', () => {
    const snapshot = snapshotOf([file(20), file(21)], 1, 12.7, {
      entries: [entryOf(album, null), entryOf(album, file(11))],
      rest: [
        { item: 3, file: 30, alone: true },
        { item: 4, file: null, alone: false, files: [40, 41] },
        { item: 5, file: 51, alone: false, run: [50, 51] },
      ],
    });
    expect(snapshot).toEqual({
      files: [20, 21, 10, 11, 12, 11, 30, 40, 41, 50, 51],
      current: 1,
      position: 12,
    });
  });

  it('are at most a thousand, and lose played ones first', () => {
    const files = Array.from({ length: 900 }, (_, at) => file(at + 1));
    const rest = Array.from({ length: 300 }, (_, at) => ({ item: 9, file: 5000 + at, alone: true }));
    const late = snapshotOf(files, 800, 0, { entries: [], rest });
    expect([late.files.length, late.current, late.files[0], late.files.at(-1)]).toEqual([
      1000, 600, 201, 5299,
    ]);
    const early = snapshotOf(files, 0, 0, { entries: [], rest });
    expect([early.files.length, early.current, early.files.at(-1)]).toEqual([1000, 0, 5099]);
  });
});

describe('the entries of the server', () => {
  const api = { item: vi.fn(async () => album) };
  const names = async (rows: ReturnType<typeof row>[], current: number) => {
    const loaded = await loadFirst(api, savedEntriesOf(rows, current));
    return loaded?.there.map(({ file: one }) => one?.id ?? 'whole');
  };

  it('begin with the current one, and unite the files of a whole item', async () => {
    const rows = [row(7, 70), row(1, 10), row(1, 11), row(1, 12)];
    expect(savedEntriesOf(rows, 2)).toEqual([{ item: 1, file: 11, alone: false, run: [10, 11, 12] }]);
    expect(await names(rows, 2)).toEqual(['whole']);
  });

  it('remain single files of an incomplete item, from the current one', async () => {
    expect(await names([row(1, 10), row(1, 12)], 1)).toEqual([12]);
    expect(await names([row(1, 12), row(1, 10)], 0)).toEqual([12, 10]);
  });

  it('begin again at a file that occurs twice', () => {
    expect(savedEntriesOf([row(1, 10), row(1, 10)], 0)).toEqual([
      { item: 1, file: 10, alone: true },
      { item: 1, file: 10, alone: true },
    ]);
  });
});

describe('a playlist as a queue', () => {
  const listOf = (total: number) => ({
    entries: vi.fn(async (_: number, { offset, limit }: { offset: number; limit: number }) => {
      const size = Math.max(0, Math.min(limit, total - offset));
      const items = Array.from(
        { length: size },
        (_, at) => ({ item: { id: 1 }, file_id: offset + at, missing: offset + at === 3 }) as ListEntry,
      );
      return { items, total, offset, limit } as ListEntries;
    }),
  });

  it('has up to a thousand entries from the chosen one, without missing ones', async () => {
    const long = listOf(5000);
    const all = await entriesFrom(long, 7, 2);
    expect([all.length, all[0]?.file, all[1]?.file]).toEqual([999, 2, 4]);
    expect(long.entries).toHaveBeenCalledTimes(2);
    const short = listOf(8);
    expect((await entriesFrom(short, 7, 0)).length).toBe(7);
    expect(short.entries).toHaveBeenCalledTimes(1);
  });

  it('has random parts of a longer list, and each entry once', async () => {
    const all = await anyEntries(listOf(10_000), 7, 10_000);
    expect(new Set(all.map((one) => one.file)).size).toBe(all.length);
    expect(all.length).toBeGreaterThanOrEqual(999);
    expect((await anyEntries(listOf(500), 7, 500)).length).toBe(499);
  });
});
