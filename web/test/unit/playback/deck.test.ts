/** The deck: the player is fetched at the first sound. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import type { Item } from '../../../src/api/models';
import { LazyPlayer } from '../../../src/playback/lazy-player.svelte';
import { enqueue } from '../../../src/app/enqueue';
import { type SavedEntry } from '../../../src/playback/queue/saved-queue';
import { Player } from '../../../src/playback/player.svelte';
import { Fake, book, file, stand } from './fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the deck', () => {
  it('loads the player at the first playback, and not after a stop before it', async () => {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const play = vi.fn();
    const load = vi.fn(async () => ({
      Dock: {} as never,
      start: () => ({ play, pause: vi.fn(), close: vi.fn() }) as unknown as Player,
    }));
    const deck = new LazyPlayer(load);
    const one = file(1);
    deck.play(book([one]), one);
    deck.pause();
    await vi.advanceTimersByTimeAsync(0);
    expect([load.mock.calls.length, play.mock.calls.length, deck.player]).toEqual([1, 0, null]);
    deck.play(book([one]), one, 12);
    await vi.advanceTimersByTimeAsync(0);
    expect(play).toHaveBeenCalledWith(expect.anything(), one, 12);
    deck.close();
    expect(deck.player).toBeNull();
  });

  it('executes all calls in order after one load', async () => {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const add = vi.fn();
    const load = vi.fn(async () => ({
      Dock: {} as never,
      start: () => ({ add, pause: vi.fn(), close: vi.fn() }) as unknown as Player,
    }));
    const deck = new LazyPlayer(load);
    for (const id of [1, 2]) deck.with((player) => player.add(book([file(id)]), file(id), false));
    await vi.advanceTimersByTimeAsync(0);
    deck.with((player) => player.add(book([file(3)]), file(3), false));
    expect(add.mock.calls.map(([, { id }]) => id)).toEqual([1, 2, 3]);
    expect(load).toHaveBeenCalledOnce();
  });

  /** A lazy player with a real `Player` over fake elements. */
  function decked(there: Item[], left: SavedEntry[] = []) {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const all = stand(there, left);
    const start = () => {
      void all.player.restore();
      return all.player;
    };
    return { ...all, deck: new LazyPlayer(async () => ({ Dock: {} as never, start })) };
  }
  const thing = (id: number) => ({ ...book([file(id * 10)]), id }) as Item;
  const queued = (player: Player) => player.upcoming.entries.map(({ item }) => item.id);

  it('keeps items that were queued during the load, in spite of a stop', async () => {
    const { deck, player, api, elements } = decked([]);
    for (const id of [1, 2]) deck.with((one, isWanted) => one.add(thing(id), null, false, isWanted));
    deck.pause();
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, queued(player)]).toEqual([1, [2]]);
    expect([player.playing, elements[0].src]).toEqual([false, '']);
    expect(api.countView).not.toHaveBeenCalled();
    deck.with((one, isWanted) => one.add(thing(3), null, false, isWanted));
    expect([player.item?.id, queued(player)]).toEqual([1, [2, 3]]);
  });

  it('restores a stored queue in spite of a stop during the load', async () => {
    const { deck, player } = decked([thing(1)], [{ item: 1, file: 10, alone: false }]);
    deck.with(() => {});
    deck.pause();
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, player.playing]).toEqual([1, false]);
  });

  it('does not start a queued item over a later opened one', async () => {
    const { deck, player } = decked([]);
    let answer: (item: Item) => void = () => {};
    const api = { item: () => new Promise<Item>((resolve) => (answer = resolve)) };
    const asked = enqueue({ api, player: deck } as never, 1, false);
    deck.pause();
    answer(thing(1));
    await asked;
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, player.playing]).toEqual([1, false]);
    player.resume();
    expect(player.playing).toBe(true);
  });

  it('does not start over a later opened item while the stored queue loads', async () => {
    const { deck, player, api, elements } = decked([], [{ item: 8, file: 80, alone: false }]);
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    api.item.mockImplementation(async () => {
      await answered;
      throw new ApiError(404, 'not_found', 'No such item.');
    });
    deck.with((one, isWanted) => one.add(thing(1), null, false, isWanted));
    await vi.advanceTimersByTimeAsync(0);
    expect([deck.player, player.item]).toEqual([player, null]);
    deck.pause();
    answer();
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, player.playing, elements[0].src]).toEqual([1, false, '']);
    player.resume();
    expect(player.playing).toBe(true);
  });

  it('plays the opened item and keeps the queued ones, in any order', async () => {
    const { deck, player } = decked([]);
    deck.with((one, isWanted) => one.add(thing(1), null, false, isWanted));
    deck.play(thing(2), thing(2).files[0]!);
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, player.playing, queued(player)]).toEqual([2, true, [1]]);
  });

  it('queues a card by its id, and reports items without audio', async () => {
    const add = vi.fn();
    const player = {
      with: (act: (one: Player, isWanted: () => boolean) => void) =>
        act({ add } as unknown as Player, () => true),
    };
    const read = book([file(1, { viewer: 'epub' })]);
    const api = { item: vi.fn(async (id: number) => (id === 1 ? read : book([file(2)]))) };
    const app = { api, player } as never;
    expect((await enqueue(app, 1, true)).heard).toBe(false);
    expect((await enqueue(app, 2, true)).heard).toBe(true);
    expect(add.mock.calls.map(([item, one, next]) => [item.files[0].id, one, next])).toEqual([
      [2, null, true],
    ]);
    api.item.mockRejectedValue(new Error('away'));
    await expect(enqueue(app, 3, false)).rejects.toThrow('away');
    expect(add).toHaveBeenCalledOnce();
  });

  it('reports no failed load after the user closed it and opened another item', async () => {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const play = vi.fn();
    const start = () => ({ play, pause: vi.fn(), close: vi.fn() }) as unknown as Player;
    let fail = () => {};
    const load = vi
      .fn<ConstructorParameters<typeof LazyPlayer>[0]>(async () => ({ Dock: {} as never, start }))
      .mockImplementationOnce(() => new Promise((_, reject) => (fail = () => reject(new Error('away')))));
    const deck = new LazyPlayer(load);
    deck.onfailed = vi.fn();
    deck.play(book([file(1)]), file(1));
    deck.close();
    deck.play(book([file(2)]), file(2));
    fail();
    await vi.advanceTimersByTimeAsync(0);
    expect(deck.onfailed).not.toHaveBeenCalled();
    expect(play).toHaveBeenCalledOnce();
  });

  it('reports a failed load of the player', async () => {
    vi.stubGlobal('Audio', Fake);
    const deck = new LazyPlayer(() => Promise.reject(new Error('away')));
    deck.onfailed = vi.fn();
    deck.play(book([file(1)]), file(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(deck.onfailed).toHaveBeenCalledOnce();
  });
});
