/** A queue over several items. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import type { Item, MediaFile } from '../../../src/api/models';
import { Player } from '../../../src/playback/player.svelte';
import { UpcomingQueue } from '../../../src/playback/queue/upcoming.svelte';
import { book, file, stand } from './fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a queue of several items', () => {
  const thing = (id: number, form: string, count = 2) =>
    ({
      ...book(
        Array.from({ length: count }, (_, at) => file(id * 10 + at, { part: at + 1 })),
        form,
      ),
      id,
      title: `Thing ${id}`,
    }) as Item;
  const [album, other, novel] = [thing(1, 'album'), thing(2, 'album'), thing(3, 'audiobook')];
  const heard = (player: Player) => [player.item?.id, player.file?.id];
  /** Plays the current file to its end. */
  function finish({ elements }: ReturnType<typeof stand>) {
    const [front] = elements.filter((one) => !one.paused);
    front!.arrive(60);
    front!.finish();
  }

  it('starts the added item if nothing plays, and otherwise waits', () => {
    const all = stand();
    all.player.add(album, null, false);
    expect([heard(all.player), all.player.playing]).toEqual([[1, 10], true]);
    all.player.add(other, null, false);
    expect([heard(all.player), all.player.upcoming.entries.length]).toEqual([[1, 10], 1]);
  });

  it('continues with the next item, and counts a view and the progress of each', () => {
    const all = stand();
    all.player.add(album, null, false);
    all.player.add(other, other.files[1]!, false);
    all.player.add(novel, null, false);
    const way = [heard(all.player)];
    for (let n = 0; n < 4; n += 1) {
      finish(all);
      way.push(heard(all.player));
    }
    expect(way).toEqual([
      [1, 10],
      [1, 11],
      [2, 21],
      [3, 30],
      [3, 31],
    ]);
    expect(all.api.countView.mock.calls).toEqual([[1], [2], [3]]);
    expect(all.noted.filter(([, { finished }]) => finished).map(([id]) => id)).toEqual([10, 11, 21, 30]);
    finish(all);
    expect([all.player.playing, heard(all.player)]).toEqual([false, [3, 31]]);
  });

  it('plays one file under its own name, and the whole item from its page', () => {
    const { player } = stand();
    player.add(album, album.files[0]!, false);
    expect([player.heading, player.queue.length, player.hasNext]).toEqual(['Part 10', 1, false]);
    player.play(album, album.files[0]!);
    expect([player.queue.length, player.alone]).toEqual([2, false]);
  });

  it('preloads the first file of the next item, in spite of reordering', () => {
    const all = stand();
    const [front, back] = all.elements;
    all.player.add(album, album.files[0]!, false);
    all.player.add(other, null, false);
    front.arrive(60);
    front.run(40);
    expect(back.src).toBe('/files/20');
    all.player.add(novel, null, true);
    front.run(41);
    expect(back.src).toBe('/files/30');
    back.arrive(60);
    front.finish();
    expect([heard(all.player), back.paused, all.player.playing]).toEqual([[3, 30], false, true]);
  });

  it('uses speed and position of a book, and the own ones of music', () => {
    const all = stand();
    all.progressStore.of.mockImplementation(((one: MediaFile) =>
      one.id === 31 ? { position: 25, finished: false, updated_at: '2026' } : null) as never);
    all.progressStore.resume.mockImplementation(((one: MediaFile) => (one.id === 31 ? 25 : 0)) as never);
    all.player.play(novel, novel.files[0]!);
    all.player.setSpeed(1.5);
    all.player.add(other, null, false);
    all.player.add(novel, null, false);
    all.player.playEntry();
    expect([heard(all.player), all.player.speed]).toEqual([[2, 20], 1]);
    all.player.playEntry();
    expect([heard(all.player), all.player.speed, all.player.time]).toEqual([[3, 31], 1.5, 25]);
  });

  it('stops by the sleep timer at the end of a track, positioned at the next item', () => {
    const all = stand();
    all.player.add(album, album.files[0]!, false);
    all.player.add(other, null, false);
    all.player.sleep.afterMark(all.player.mark);
    finish(all);
    expect([heard(all.player), all.player.playing, all.player.sleep.on]).toEqual([[2, 20], false, false]);
    all.player.toggle();
    expect(all.player.playing).toBe(true);
  });

  it('counts a view once if an item starts after the sleep timer, also after a reload', async () => {
    const all = stand();
    all.player.add(album, album.files[0]!, false);
    all.player.add(other, null, false);
    all.player.sleep.afterMark(all.player.mark);
    finish(all);
    expect(all.api.countView.mock.calls).toEqual([[1]]);
    const again = stand([other], all.kept.get());
    await again.player.restore();
    expect(again.api.countView).not.toHaveBeenCalled();
    for (const { player, api } of [all, again]) {
      player.resume();
      player.pause();
      player.resume();
      expect(api.countView.mock.calls.filter(([id]) => id === 2)).toEqual([[2]]);
    }
    const begun = stand([other], again.kept.get());
    await begun.player.restore();
    begun.player.resume();
    expect(begun.api.countView).not.toHaveBeenCalled();
  });

  it('keeps the sleep timer from item to item', () => {
    const all = stand();
    all.player.add(album, album.files[0]!, false);
    all.player.add(other, null, false);
    all.player.sleep.inMinutes(5);
    vi.setSystemTime(200_000);
    finish(all);
    expect([heard(all.player), all.player.sleep.left]).toEqual([[2, 20], 100]);
    const [front] = all.elements.filter((one) => !one.paused);
    front!.arrive(60);
    vi.setSystemTime(300_100);
    front!.run(3);
    expect([front!.paused, all.player.sleep.on]).toEqual([true, false]);
  });

  it('is reached by “Next” from the last track, and skips unplayable items', async () => {
    const all = stand();
    all.player.add(album, null, false);
    all.player.add({ ...other, files: [] } as Item, null, false);
    all.player.add(novel, null, false);
    all.player.next();
    expect(all.player.hasNext).toBe(true);
    all.player.next();
    expect(heard(all.player)).toEqual([3, 30]);
    all.elements[0].say('error');
    await vi.advanceTimersByTimeAsync(0);
    all.player.add(other, null, false);
    all.player.skipFile();
    all.player.skipFile();
    expect([heard(all.player), all.player.trouble]).toEqual([[2, 20], null]);
  });

  it('starts the selected entry and keeps the others', () => {
    const all = stand();
    for (const one of [album, other, novel, album]) all.player.add(one, null, false);
    const [, second] = all.player.upcoming.entries;
    all.player.playEntry(second!.key);
    expect(heard(all.player)).toEqual([3, 30]);
    expect(all.player.upcoming.entries.map(({ item }) => item.id)).toEqual([2, 1]);
    all.player.play(other, other.files[0]!);
    expect(all.player.upcoming.entries.length).toBe(2);
  });

  it('is stored as ids, and removed when the player closes', () => {
    const all = stand();
    all.player.add(album, null, false);
    all.player.add(other, other.files[1]!, false);
    all.player.add(novel, null, true);
    all.player.next();
    expect(all.kept.get()).toEqual([
      { item: 1, file: 11, alone: false },
      { item: 3, file: null, alone: false, files: [30, 31] },
      { item: 2, file: 21, alone: true },
    ]);
    all.player.close();
    expect(all.kept.get()).toEqual([]);
  });

  it('is restored paused after a reload, without a view and without deleted items', async () => {
    const left = [
      { item: 1, file: 11, alone: false },
      { item: 8, file: null, alone: false },
      { item: 2, file: 21, alone: true },
      { item: 2, file: 99, alone: true },
      { item: 3, file: null, alone: false },
    ];
    const all = stand([album, other, novel], left);
    all.progressStore.resume.mockReturnValue(17);
    await all.player.restore();
    expect([heard(all.player), all.player.time, all.player.queue.length]).toEqual([[1, 11], 17, 2]);
    expect([all.player.playing, all.elements[0].src]).toEqual([false, '']);
    expect(all.player.upcoming.entries.map(({ item, file: one }) => [item.id, one?.id])).toEqual([
      [2, 21],
      [3, undefined],
    ]);
    expect(all.api.countView).not.toHaveBeenCalled();
    expect(all.kept.get()).toEqual([left[0], left[2], { ...left[4], files: [30, 31] }]);
    all.player.seek(20);
    all.player.resume();
    all.elements[0].arrive(60);
    expect([all.elements[0].src, all.elements[0].currentTime]).toEqual(['/files/11', 20]);
    expect(all.player.playing).toBe(true);
  });

  it('is restored with its first entry if the current item is deleted, and not over a playing item', async () => {
    const left = [
      { item: 8, file: 80, alone: false },
      { item: 2, file: 21, alone: true },
      { item: 3, file: null, alone: false },
    ];
    const gone = stand([other, novel], left);
    await gone.player.restore();
    expect([heard(gone.player), gone.player.upcoming.entries.length]).toEqual([[2, 21], 1]);
    const quick = stand([album, other, novel], left);
    const back = quick.player.restore();
    quick.player.play(album, album.files[0]!);
    await back;
    expect([heard(quick.player), quick.player.upcoming.entries.length]).toEqual([[1, 10], 2]);
  });

  it('stays stored while it loads, whatever plays meanwhile', async () => {
    const left = [
      { item: 1, file: 11, alone: false },
      { item: 2, file: 21, alone: true },
      { item: 3, file: null, alone: false },
    ];
    const all = stand([album, other, novel], left);
    const back = all.player.restore();
    all.player.play(novel, novel.files[0]!);
    const now = { item: 3, file: 30, alone: false };
    expect(all.kept.get()).toEqual([now, left[1], left[2]]);
    await back;
    expect(all.kept.get()).toEqual([now, left[1], { ...left[2], files: [30, 31] }]);
  });

  it('is kept if the server does not respond before another item plays', async () => {
    const left = [
      { item: 1, file: 11, alone: false },
      { item: 2, file: 21, alone: true },
    ];
    for (const isQuick of [true, false]) {
      const all = stand([other, novel], left);
      all.api.item.mockRejectedValueOnce(new ApiError(503, 'unavailable', 'Not now.'));
      all.api.item.mockRejectedValueOnce(new ApiError(503, 'unavailable', 'Not now.'));
      const back = all.player.restore();
      if (!isQuick) await back;
      all.player.play(novel, novel.files[0]!);
      await vi.advanceTimersByTimeAsync(0);
      expect(all.kept.get()).toEqual([{ item: 3, file: 30, alone: false }, left[1]]);
      expect(all.player.upcoming.entries.map(({ file: one }) => one?.id)).toEqual([21]);
    }
  });

  it('delays additions while it loads', async () => {
    const all = stand([album, other], [{ item: 1, file: 11, alone: false }]);
    const back = all.player.restore();
    all.player.add(other, null, false);
    await back;
    await Promise.resolve();
    expect([heard(all.player), all.player.upcoming.entries.length]).toEqual([[1, 11], 1]);
  });

  it('is requested once more by an addition after a failed load', async () => {
    const all = stand([album, other, novel], [{ item: 1, file: 11, alone: false }]);
    all.api.item.mockRejectedValueOnce(new ApiError(503, 'unavailable', 'Not now.'));
    await all.player.restore();
    for (const one of [other, novel]) all.player.add(one, null, false);
    await vi.advanceTimersByTimeAsync(0);
    expect([heard(all.player), all.player.playing]).toEqual([[1, 11], false]);
    expect(all.player.upcoming.entries.map(({ item }) => item.id)).toEqual([2, 3]);
  });

  it('stays behind an addition if it fails again, down to its first entry', async () => {
    const left = [
      { item: 1, file: 11, alone: false },
      { item: 3, file: null, alone: false },
    ];
    const all = stand([album, other, novel], left);
    all.api.item.mockRejectedValue(new ApiError(503, 'unavailable', 'Not now.'));
    await all.player.restore();
    all.player.add(other, null, false);
    await vi.advanceTimersByTimeAsync(0);
    expect([heard(all.player), all.player.playing]).toEqual([[2, 20], true]);
    expect(all.kept.get()).toEqual([{ item: 2, file: 20, alone: false }, ...left]);
  });

  it('is requested once by two simultaneous calls', async () => {
    const all = stand([album], [{ item: 1, file: 11, alone: false }]);
    await Promise.all([all.player.restore(), all.player.restore()]);
    expect([heard(all.player), all.api.item.mock.calls.length]).toEqual([[1, 11], 1]);
  });

  it('stays stored if the server does not respond', async () => {
    const left = [{ item: 1, file: 11, alone: false }];
    const all = stand([], left);
    all.api.item.mockRejectedValue(new ApiError(503, 'unavailable', 'Not now.'));
    await all.player.restore();
    expect([all.player.item, all.kept.get()]).toEqual([null, left]);
  });
});

describe('queue order', () => {
  const one = (id: number) => ({ id, files: [] }) as unknown as Item;
  function queued() {
    const onchange = vi.fn();
    const upcoming = new UpcomingQueue(onchange);
    for (const id of [1, 2, 3]) upcoming.add(one(id), null, false);
    const keys = upcoming.entries.map(({ key }) => key) as [number, number, number];
    return { upcoming, onchange, keys, order: () => upcoming.entries.map(({ item }) => item.id) };
  }

  it('moves entries to the first, the last and any position', () => {
    const { upcoming, keys, order } = queued();
    upcoming.add(one(4), null, true);
    expect(order()).toEqual([4, 1, 2, 3]);
    upcoming.move(keys[0], 3);
    expect(order()).toEqual([4, 2, 3, 1]);
    upcoming.move(keys[2], -5);
    upcoming.move(keys[0], 99);
    expect(order()).toEqual([3, 4, 2, 1]);
  });

  it('reports each change, and nothing without a change', () => {
    const { upcoming, onchange, keys } = queued();
    expect(onchange).toHaveBeenCalledTimes(3);
    upcoming.move(keys[1], 1);
    upcoming.move(77, 0);
    expect(onchange).toHaveBeenCalledTimes(3);
    upcoming.remove(keys[1]);
    expect(onchange).toHaveBeenCalledTimes(4);
  });

  it('restores a removed entry until the next change', () => {
    const { upcoming, keys, order } = queued();
    upcoming.remove(keys[1]);
    expect([order(), upcoming.canUndo]).toEqual([[1, 3], true]);
    upcoming.undo();
    expect([order(), upcoming.canUndo]).toEqual([[1, 2, 3], false]);
    upcoming.clear();
    upcoming.add(one(9), null, false);
    expect(upcoming.canUndo).toBe(false);
    upcoming.undo();
    expect(order()).toEqual([9]);
  });
});
