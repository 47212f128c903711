/** Shuffle and repeat: of an album, of the queue, and after a reload. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Item, MediaFile } from '../../../src/api/models';
import { Player } from '../../../src/playback/player.svelte';
import { PlayOrder, shuffled } from '../../../src/playback/queue/order.svelte';
import { ORIGINAL, SavedOrder } from '../../../src/playback/queue/saved-order';
import { book, file, stand } from './fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
  // The same order in every run.
  vi.spyOn(Math, 'random').mockReturnValue(0.3);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const thing = (id: number, form = 'album', count = 1) =>
  ({
    ...book(
      Array.from({ length: count }, (_, at) => file(id * 100 + at, { part: at + 1 })),
      form,
    ),
    id,
    title: `Thing ${id}`,
  }) as Item;
const album = thing(1, 'album', 8);
const original = album.files.map(({ id }) => id);
const idsOf = (files: readonly MediaFile[]) => files.map(({ id }) => id);
const queued = ({ upcoming: { entries, rest } }: Player) => [
  ...entries.map(({ item }) => item.id),
  ...rest.map(({ item }) => item),
];

/** Plays the current file to its end. */
function finish({ elements }: ReturnType<typeof stand>) {
  const [front] = elements.filter((one) => !one.paused);
  front!.arrive(60);
  front!.finish();
}

/** Plays the album from one of its tracks, shuffled. */
function mixed(start = 2) {
  const all = stand();
  all.player.play(album, album.files[start]!, 0);
  all.elements[0].arrive(60);
  all.elements[0].run(12);
  all.player.shuffle();
  return all;
}

describe('a shuffled order', () => {
  it('depends on its seed only, and has every value once', () => {
    const all = Array.from({ length: 50 }, (_, at) => at);
    const [first, second] = [1, 2].map((seed) => shuffled(all, seed, (id) => id));
    expect(shuffled(all, 1, (id) => id)).toEqual(first);
    expect(first).not.toEqual(second);
    expect(first!.toSorted((a, b) => a - b)).toEqual(all);
  });

  it('puts each of four values into each place about equally often', () => {
    const counts = Array.from({ length: 4 }, () => [0, 0, 0, 0]);
    for (let seed = 0; seed < 4000; seed += 1)
      for (const [place, id] of shuffled([701, 702, 703, 704], seed, (one) => one).entries())
        counts[place]![id - 701]! += 1;
    for (const count of counts.flat()) expect(Math.abs(count - 1000)).toBeLessThan(120);
  });
});

describe('a shuffled album', () => {
  it('keeps the running track with its position, and has all others once', () => {
    const { player, elements } = mixed();
    expect([player.file?.id, player.index, elements[0].currentTime]).toEqual([102, 0, 12]);
    expect(elements[0].paused).toBe(false);
    const ids = idsOf(player.queue);
    expect(ids).not.toEqual([102, ...original.filter((id) => id !== 102)]);
    expect(ids.toSorted()).toEqual(original);
  });

  it('is played by next, previous, the end of a track, and the preloaded file', () => {
    const all = mixed();
    const { player, elements } = all;
    const ids = idsOf(player.queue);
    elements[0].run(41);
    expect(elements[1].src).toBe(`/files/${ids[1]}`);
    elements[1].arrive(60);
    elements[0].finish();
    expect([player.file?.id, elements[1].paused]).toEqual([ids[1], false]);
    player.next();
    expect(player.file?.id).toBe(ids[2]);
    player.previous();
    expect(player.file?.id).toBe(ids[1]);
  });

  it('gets its original order back after the running track', () => {
    const { player, elements } = mixed();
    player.next();
    const current = player.file!.id;
    player.shuffle();
    expect(idsOf(player.queue)).toEqual(original);
    expect(player.file?.id).toBe(current);
    expect(player.index).toBe(original.indexOf(current));
    expect(elements[0].src).toBe(`/files/${current}`);
  });

  it('has the measured length of each track after the change', () => {
    const { player, elements } = mixed();
    elements[0].arrive(77);
    player.shuffle();
    expect(player.length).toBe(77);
    expect(player.timeline.marks.map(({ length }) => length)).toEqual([60, 60, 77, 60, 60, 60, 60, 60]);
  });

  it('starts again from a track that is chosen on its page', () => {
    const { player } = mixed();
    player.play(album, album.files[5]!, 0);
    expect([player.file?.id, player.index, player.queue.length]).toEqual([105, 0, 8]);
  });

  it('has the same order and place after a reload', async () => {
    const { player, kept, keptOrder } = mixed();
    player.next();
    player.next();
    const after = stand([album], kept.get(), keptOrder.get());
    await after.player.restore();
    expect(idsOf(after.player.queue)).toEqual(idsOf(player.queue));
    expect([after.player.index, after.player.file?.id]).toEqual([2, player.file!.id]);
    after.player.shuffle();
    expect(idsOf(after.player.queue)).toEqual(original);
  });

  it('is not an audiobook: its chapters stay in order', () => {
    const novel = thing(3, 'audiobook', 5);
    const { player } = stand();
    player.play(novel, novel.files[1]!, 0);
    player.shuffle();
    expect([idsOf(player.queue), player.index]).toEqual([idsOf(novel.files), 1]);
    expect(player.hasOrder).toBe(false);
  });

  it('begins with a random track in a queue, which is preloaded', () => {
    const all = stand();
    const other = thing(2, 'album', 8);
    all.player.shuffle();
    all.player.play(thing(9), thing(9).files[0]!, 0);
    all.player.add(other, null, false);
    all.elements[0].arrive(60);
    all.elements[0].run(41);
    const preloaded = all.elements[1].src;
    finish(all);
    expect(`/files/${all.player.file?.id}`).toBe(preloaded);
    expect(all.player.queue[0]?.id).not.toBe(200);
    expect(idsOf(all.player.queue).toSorted()).toEqual(idsOf(other.files));
  });

  it('continues in a started album with its started track', () => {
    const all = stand();
    const other = thing(2, 'album', 8);
    all.progressStore.of.mockImplementation(((one: MediaFile) =>
      one.id === 204 ? { position: 25, finished: false, updated_at: '2026' } : null) as never);
    all.player.shuffle();
    all.player.add(other, null, false);
    expect([all.player.file?.id, all.player.index, all.player.queue.length]).toEqual([204, 0, 8]);
  });
});

describe('a shuffled queue', () => {
  const things = Array.from({ length: 12 }, (_, at) => thing(at + 10));
  const numbers = things.slice(1).map(({ id }) => id);
  function lined() {
    const all = stand(things);
    for (const one of things) all.player.add(one, null, false);
    return all;
  }

  it('keeps what plays, and gets its order back', () => {
    const { player } = lined();
    player.shuffle();
    expect(player.item?.id).toBe(10);
    expect(queued(player)).not.toEqual(numbers);
    expect(queued(player).toSorted()).toEqual(numbers);
    player.shuffle();
    expect(queued(player)).toEqual(numbers);
  });

  it('has what was queued since at the ends, also in the original order', () => {
    const { player } = lined();
    player.shuffle();
    player.add(thing(50), null, false);
    player.add(thing(51), null, true);
    expect([queued(player).at(0), queued(player).at(-1)]).toEqual([51, 50]);
    player.shuffle();
    expect(queued(player)).toEqual([51, ...numbers, 50]);
  });

  it('survives a reload with entries that are not fetched yet, and gets its order back', async () => {
    const { player, kept, keptOrder } = lined();
    player.shuffle();
    const mix = queued(player);
    const after = stand(things, kept.get(), keptOrder.get());
    await after.player.restore();
    expect(after.player.upcoming.rest.length).toBeGreaterThan(0);
    expect(queued(after.player)).toEqual(mix);
    after.player.shuffle();
    expect(queued(after.player)).toEqual(numbers);
    await vi.advanceTimersByTimeAsync(0);
    expect(after.player.upcoming.entries.slice(0, 8).map(({ item }) => item.id)).toEqual(numbers.slice(0, 8));
  });
});

describe('repetition', () => {
  const repeating = (mode: 'all' | 'one', item = album, start = 0) => {
    const all = stand([], [], { ...ORIGINAL, repeat: mode });
    all.player.play(item, item.files[start]!, 0);
    return all;
  };

  it('goes from off to all to one, and is stored', () => {
    const { player, keptOrder } = stand();
    const modes = [0, 1, 2, 3].map(() => {
      const { repeat } = keptOrder.get();
      player.order.cycle();
      return repeat;
    });
    expect(modes).toEqual(['off', 'all', 'one', 'off']);
  });

  it('of all starts the album again after its last track, which is preloaded', () => {
    const all = repeating('all', album, 7);
    const [front, back] = all.elements;
    expect(all.player.hasNext).toBe(true);
    front.arrive(60);
    front.run(41);
    expect(back.src).toBe('/files/100');
    back.arrive(60);
    front.finish();
    expect([all.player.file?.id, back.paused, all.player.playing]).toEqual([100, false, true]);
  });

  it('of all plays a shuffled album again in its order', () => {
    const all = repeating('all', album);
    all.player.shuffle();
    const ids = idsOf(all.player.queue);
    const heard = ids.map(() => {
      finish(all);
      return all.player.file?.id;
    });
    expect(heard).toEqual([...ids.slice(1), ids[0]]);
  });

  it('of all puts what ended behind the queue', () => {
    const all = repeating('all', thing(2));
    all.player.add(thing(3), null, false);
    all.player.add(thing(4), null, false);
    const way = [];
    for (let n = 0; n < 4; n += 1) {
      way.push([all.player.item?.id, ...queued(all.player)]);
      finish(all);
    }
    expect(way).toEqual([
      [2, 3, 4],
      [3, 4, 2],
      [4, 2, 3],
      [2, 3, 4],
    ]);
    expect(all.player.upcoming.added?.entry.item.id).toBe(4);
  });

  it('of one plays the same track without a gap; next goes on', () => {
    const all = repeating('one', album, 1);
    const [front, back] = all.elements;
    front.arrive(60);
    front.run(41);
    expect(back.src).toBe('/files/101');
    back.arrive(60);
    front.finish();
    expect([all.player.file?.id, all.player.time, back.paused]).toEqual([101, 0, false]);
    all.player.next();
    expect(all.player.file?.id).toBe(102);
  });

  it('of one adds nothing to the queue when the user goes on or selects an entry', () => {
    const all = repeating('one', thing(2));
    for (const id of [3, 4, 5]) all.player.add(thing(id), null, false);
    all.player.playEntry(all.player.upcoming.entries[1]?.key);
    expect([all.player.item?.id, queued(all.player)]).toEqual([4, [3, 5]]);
    all.player.next();
    expect([all.player.item?.id, queued(all.player)]).toEqual([3, [5]]);
    all.player.sleep.afterMark(all.player.mark);
    finish(all);
    all.player.next();
    expect([all.player.item?.id, queued(all.player)]).toEqual([5, []]);
  });

  it('of all keeps the number of entries when the user selects one', () => {
    const all = repeating('all', thing(2));
    for (const id of [3, 4]) all.player.add(thing(id), null, false);
    for (const expected of [
      [4, 3, 2],
      [2, 3, 4],
      [4, 3, 2],
    ]) {
      all.player.playEntry(all.player.upcoming.entries[1]?.key);
      expect([all.player.item?.id, ...queued(all.player)]).toEqual(expected);
    }
  });

  it('of one stops where the sleep timer says so', () => {
    const all = repeating('one', thing(2));
    all.player.sleep.afterMark(all.player.mark);
    finish(all);
    expect([all.player.file?.id, all.player.playing, all.player.sleep.on]).toEqual([200, false, false]);
  });

  it('does not concern an audiobook', () => {
    const all = repeating('all', thing(3, 'audiobook', 2), 1);
    finish(all);
    expect([all.player.file?.id, all.player.playing, all.player.hasNext]).toEqual([301, false, false]);
  });
});

describe('a stored order', () => {
  const shelf = (text: string) => ({ get: () => text, set: vi.fn() });

  it('is read if it is valid, and is the original one otherwise', () => {
    const orderOf = (text: string) => new SavedOrder(1, shelf(text)).get();
    expect(orderOf('{"seed":7,"head":3,"repeat":"one"}')).toEqual({ seed: 7, head: 3, repeat: 'one' });
    for (const text of ['', 'x', 'null', '[]', '{"seed":"7","head":{},"repeat":"twice"}'])
      expect(orderOf(text)).toEqual(ORIGINAL);
  });

  it('is written with each change', () => {
    let stored = ORIGINAL;
    const order = new PlayOrder({ get: () => stored, set: (one) => void (stored = one) }, () => 0.5);
    order.shuffle(order.draw());
    order.begin(file(3));
    order.cycle();
    expect(stored).toEqual({ seed: 2 ** 31, head: 3, repeat: 'all' });
  });
});
