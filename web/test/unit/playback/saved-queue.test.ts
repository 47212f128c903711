/** The queue after a reload. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import type { Item } from '../../../src/api/models';
import { SavedQueue, type SavedEntry } from '../../../src/playback/queue/saved-queue';
import { Player } from '../../../src/playback/player.svelte';
import { book, file, stand } from './fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a long queue after a reload', () => {
  const single = (id: number) => ({ ...book([file(id * 10)], 'album'), id, title: `Thing ${id}` }) as Item;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const savedEntryOf = (from: number, to: number): SavedEntry[] =>
    range(from, to).map((item) => ({ item, file: null, alone: false }));
  const order = ({ upcoming: { entries, rest } }: Player) => [
    ...entries.map(({ item }) => item.id),
    ...rest.map(({ item }) => item),
  ];
  const settled = () => vi.advanceTimersByTimeAsync(0);

  /** A saved queue of a thousand entries, and the number of simultaneous requests. */
  async function restored(gone: (id: number) => boolean = () => false) {
    const all = stand(range(1, 1001).map(single), savedEntryOf(1, 1001));
    const answer = all.api.item.getMockImplementation()!;
    const asked = { now: 0, most: 0 };
    all.api.item.mockImplementation(async (id) => {
      asked.now += 1;
      asked.most = Math.max(asked.most, asked.now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      asked.now -= 1;
      if (gone(id)) throw new ApiError(404, 'not_found', 'No such item.');
      return answer(id);
    });
    void all.player.restore();
    await vi.runAllTimersAsync();
    return { ...all, asked };
  }

  it('loads the next entries in small parts, and keeps all others', async () => {
    const { player, api, kept, asked } = await restored();
    expect([player.item?.id, order(player)]).toEqual([1, range(2, 1001)]);
    expect(asked.most).toBeLessThanOrEqual(8);
    expect(api.item.mock.calls.length).toBeLessThanOrEqual(16);
    expect(kept.get().map(({ item }) => item)).toEqual(range(1, 1001));
    const before = player.upcoming.entries.length;
    void player.more();
    void player.more();
    await vi.runAllTimersAsync();
    expect(player.upcoming.entries.length).toBe(before + 8);
  });

  it('skips deleted items without more parallel requests', async () => {
    const { player, asked } = await restored((id) => id < 400);
    expect([player.item?.id, order(player)]).toEqual([400, range(401, 1001)]);
    expect(asked.most).toBeLessThanOrEqual(8);
  });

  it('plays to its end', async () => {
    const { player, elements } = await restored();
    const heard: (number | undefined)[] = [];
    player.resume();
    while (player.playing && heard.length < 1001) {
      heard.push(player.item?.id);
      const [front] = elements.filter((one) => !one.paused);
      front!.arrive(60);
      front!.finish();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(heard).toEqual(range(1, 1001));
  });

  it('is cleared and restored as a whole, and accepts additions at its end', async () => {
    const { player } = await restored();
    player.add(single(2000), null, false);
    player.add(single(2001), null, true);
    const whole = [2001, ...range(2, 1001), 2000];
    expect(order(player)).toEqual(whole);
    player.upcoming.remove(player.upcoming.first!.key);
    void player.more();
    await vi.runAllTimersAsync();
    player.upcoming.undo();
    expect(order(player)).toEqual(whole);
    void player.more();
    player.upcoming.clear();
    await vi.runAllTimersAsync();
    expect([order(player), player.upcoming.length]).toEqual([[], 0]);
    player.upcoming.undo();
    expect(order(player)).toEqual(whole);
  });

  it('pauses if the server becomes unavailable, keeps the rest, and continues', async () => {
    const { player, api, elements, kept } = await restored();
    const answer = api.item.getMockImplementation()!;
    api.item.mockRejectedValue(new ApiError(503, 'unavailable', 'Not now.'));
    player.resume();
    for (let n = 0; n < 20; n += 1) {
      const [front] = elements.filter((one) => !one.paused);
      front?.arrive(60);
      front?.finish();
      await settled();
    }
    expect([player.playing, player.hasNext, player.upcoming.entries.length]).toEqual([false, true, 0]);
    const [at, ...others] = kept.get().map(({ item }) => item);
    expect(others).toEqual(range(at! + 1, 1001));
    api.item.mockImplementation(answer);
    player.skipFile();
    await vi.runAllTimersAsync();
    expect([player.item?.id, player.playing]).toEqual([at! + 1, true]);
  });

  it('ignores responses after its end', async () => {
    const { player, kept } = await restored();
    void player.more();
    player.close();
    expect(kept.get()).toEqual([]);
    const [other] = savedEntryOf(7, 8);
    kept.set([other!]);
    await vi.runAllTimersAsync();
    expect(kept.get()).toEqual([other]);
    const back = player.restore();
    await vi.runAllTimersAsync();
    await back;
    expect([player.item, player.upcoming.length]).toEqual([null, 0]);
  });

  it('plays nothing that is queued after its end', async () => {
    const { player, elements } = await restored();
    player.close();
    player.add(single(3), null, false);
    expect([player.item, elements.every(({ paused }) => paused)]).toEqual([null, true]);
  });

  it('does not interrupt a repeat while the next item loads', async () => {
    const { player, api, elements } = await restored();
    api.item.mockRejectedValue(new ApiError(503, 'unavailable', 'Not now.'));
    player.resume();
    for (let n = 0; n < 20; n += 1) {
      const [front] = elements.filter((one) => !one.paused);
      front?.arrive(60);
      front?.finish();
      await settled();
    }
    const [over] = elements.filter((one) => one.ended);
    const at = player.item?.id;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => (answer = resolve));
    api.item.mockImplementation((id) => answered.then(() => single(id)));
    player.skipFile();
    player.seek(5);
    over!.ended = false; // as elements do that are moved back
    player.resume();
    answer();
    await vi.runAllTimersAsync();
    expect([player.item?.id, player.playing, over!.currentTime]).toEqual([at, true, 5]);
  });
});

describe('a stored queue', () => {
  const shelf = (text: string) => {
    const kept = new Map([['queue.4', text]]);
    return {
      kept,
      shelf: {
        get: (name: string) => kept.get(name) ?? null,
        set: (name: string, to: string) => void kept.set(name, to),
      },
    };
  };

  it('belongs to one user, and only valid entries are loaded', () => {
    const one = { item: 1, file: null, alone: false };
    const text = JSON.stringify([one, null, { item: 'x', file: 2, alone: true }, { item: 2, file: 3 }, 5]);
    expect(new SavedQueue(4, shelf(text).shelf).get()).toEqual([one]);
    expect(new SavedQueue(5, shelf(text).shelf).get()).toEqual([]);
    for (const nonsense of ['', '{', '{}', '7'])
      expect(new SavedQueue(4, shelf(nonsense).shelf).get()).toEqual([]);
    const { kept, shelf: written } = shelf('');
    new SavedQueue(4, written).set([one]);
    expect(new SavedQueue(4, written).get()).toEqual([one]);
    new SavedQueue(4, written).set([]);
    expect(kept.get('queue.4')).toBe('');
  });
});
