/** A queue from a playlist, or from another device, with sound and films. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unreachable } from '../../../../src/api/client';
import type { Item, ListEntry, Queue } from '../../../../src/api/models';
import type { Player } from '../../../../src/playback/player.svelte';
import { book, file, stand } from '../fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const album = { ...book([file(10), file(11), file(12)], 'album'), id: 1 } as Item;
const other = { ...book([file(20), file(21)], 'album'), id: 2 } as Item;
const film = {
  ...book([file(30, { viewer: 'video', part: null })], ''),
  id: 3,
  title: 'Film',
} as Item;
const items = [album, other, film];

const single = (item: number, id: number) => ({ item, file: id, alone: true });
const plays = ({ item, file: one }: Player) => [item?.id, one?.id];
const order = ({ upcoming: { entries, rest } }: Player) => [
  ...entries.map((one) => one.file?.id ?? one.item.id),
  ...rest.map((one) => one.file ?? one.item),
];

/** A player with a server, whose queue is `files` in the order of items. */
function connected(rows: [item: number, file: number][] = [], current = 0, position = 0) {
  const entries = rows.map(([item, id]) => ({ item: { id: item }, file_id: id }) as ListEntry);
  const state = {
    items: entries,
    total: entries.length,
    offset: 0,
    limit: 500,
    current,
    position,
    version: 4,
  };
  const queue = {
    get: vi.fn(async () => state as unknown as Queue),
    replace: vi.fn(async () => ({ ...state, version: 5 }) as unknown as Queue),
    update: vi.fn(async () => ({ ...state, version: 5 }) as unknown as Queue),
    clear: vi.fn(async () => {}),
  };
  const openFilm = vi.fn();
  const all = stand(items, [], undefined, { queue, store: { get: () => null, set: () => {} }, openFilm });
  return { ...all, queue, openFilm };
}

describe('a queue that replaces another one', () => {
  it('plays its entries in order, also those of one item as single files', async () => {
    const { player, elements } = connected();
    player.play(other, other.files[0]!);
    expect(await player.playAll([single(1, 11), single(2, 20), single(1, 10)], false)).toBe(true);
    expect([plays(player), order(player), player.alone]).toEqual([[1, 11], [20, 10], true]);
    const [front] = elements.filter((one) => !one.paused);
    front!.arrive(60);
    front!.finish();
    expect([plays(player), order(player)]).toEqual([[2, 20], [10]]);
  });

  it('is shuffled as a whole, and gets its order back', async () => {
    const { player } = connected();
    const list = [10, 11, 12].map((id) => single(1, id));
    await player.playAll(list, true);
    expect(player.order.seed).not.toBeNull();
    const heard = [player.file!.id, ...order(player)];
    expect(heard.toSorted()).toEqual([10, 11, 12]);
    player.shuffle();
    expect(order(player)).toEqual([10, 11, 12].filter((id) => id !== player.file!.id));
    await player.playAll(list, false);
    expect([player.order.seed, order(player)]).toEqual([null, [11, 12]]);
  });

  it('skips deleted items, and reports a queue without any file', async () => {
    const { player } = connected();
    expect(await player.playAll([single(99, 990), single(1, 12)], false)).toBe(true);
    expect(plays(player)).toEqual([1, 12]);
    expect(await player.playAll([single(99, 990)], false)).toBe(false);
    expect(plays(player)).toEqual([1, 12]);
  });

  it('keeps the order of the current one if it does not load', async () => {
    const { player, api } = connected();
    await player.playAll([single(1, 10), single(1, 11)], false);
    expect(await player.playAll([single(99, 990)], true)).toBe(false);
    api.item.mockRejectedValueOnce(new Unreachable('Not now.'));
    await expect(player.playAll([single(2, 20)], true)).rejects.toThrow();
    expect([player.order.seed, plays(player)]).toEqual([null, [1, 10]]);
  });

  it('does not replace an item or an entry that was started meanwhile', async () => {
    const { player, queue } = connected([[1, 10]]);
    const early = player.playAll([single(1, 10)], true);
    player.play(other, other.files[0]!);
    await early;
    expect([plays(player), player.order.seed]).toEqual([[2, 20], null]);
    player.add(album, album.files[2]!, false);
    const late = player.takeServerQueue();
    player.playEntry();
    await late;
    await vi.advanceTimersByTimeAsync(1000);
    expect([plays(player), queue.get.mock.calls.length]).toEqual([[1, 12], 1]);
    expect(queue.replace).toHaveBeenCalled();
  });

  it('of a later request wins', async () => {
    const { player, api } = connected();
    const answer = api.item.getMockImplementation()!;
    api.item.mockImplementationOnce(async (id) => {
      await new Promise((done) => setTimeout(done, 50));
      return answer(id);
    });
    const early = player.playAll([single(1, 10)], false);
    await player.playAll([single(2, 20)], false);
    await vi.advanceTimersByTimeAsync(100);
    await early;
    expect(plays(player)).toEqual([2, 20]);
  });
});

describe('the queue of another device', () => {
  it('continues at its entry and position, and unites whole items', async () => {
    const rows: [number, number][] = [
      [2, 20],
      [1, 10],
      [1, 11],
      [1, 12],
      [2, 21],
    ];
    const { player, elements, queue } = connected(rows, 2, 31);
    expect(await player.takeServerQueue()).toBe(true);
    elements[0].arrive(60);
    expect([plays(player), player.queue.length, player.alone]).toEqual([[1, 11], 3, false]);
    expect([elements[0].currentTime, order(player)]).toEqual([31, [21]]);
    await vi.advanceTimersByTimeAsync(2000);
    expect([queue.replace.mock.calls.length, queue.update.mock.calls.length]).toEqual([0, 0]);
    player.next();
    await vi.advanceTimersByTimeAsync(2000);
    expect(queue.update.mock.calls).toEqual([[{ current: 3, position: 0 }, 4, false]]);
  });

  it('does not replace anything if it is empty', async () => {
    const { player, queue } = connected();
    queue.get.mockResolvedValue({ items: [], total: 0, current: null, position: 0, version: 1 } as never);
    player.play(other, other.files[0]!);
    expect(await player.takeServerQueue()).toBe(false);
    expect(plays(player)).toEqual([2, 20]);
  });
});

describe('a film in the queue', () => {
  it('opens on its page, and the queue continues after it', async () => {
    const { player, elements, openFilm, noted } = connected();
    await player.playAll([single(1, 10), single(3, 30), single(1, 12)], false);
    elements[0].arrive(60);
    elements[0].finish();
    expect([plays(player), player.isFilm]).toEqual([[3, 30], true]);
    expect(openFilm).toHaveBeenCalledWith(film, film.files[0], 0);
    expect(elements.every(({ paused }) => paused)).toBe(true);
    player.watched(film.files[0]!, 25);
    expect([player.time, player.snapshot()]).toEqual([25, { files: [30, 12], current: 0, position: 25 }]);
    // The page of the film reports the progress.
    expect(noted.filter(([id]) => id === 30)).toEqual([]);
    expect(player.filmEnded(album.files[0]!)).toBe(false);
    expect(player.filmEnded(film.files[0]!)).toBe(true);
    expect([plays(player), player.isFilm]).toEqual([[1, 12], false]);
    expect(elements.some(({ paused }) => !paused)).toBe(true);
  });

  it('opens again from the player where it was left, and ends the queue as the last entry', async () => {
    const { player, openFilm } = connected();
    await player.playAll([single(3, 30)], false);
    player.watched(film.files[0]!, 40);
    player.resume();
    expect(openFilm.mock.lastCall?.[2]).toBe(40);
    expect(player.filmEnded(film.files[0]!)).toBe(false);
  });

  it('is not preloaded as sound', async () => {
    const { player, elements } = connected();
    await player.playAll([single(1, 10), single(3, 30)], false);
    elements[0].arrive(60);
    elements[0].run(50);
    expect(elements[1].src).toBe('');
  });
});
