import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/api/client';
import type { Item, MediaFile, Progress } from '../../src/api/types';
import { Deck } from '../../src/media/deck.svelte';
import { enqueue } from '../../src/media/enqueue';
import { Kept, type Ids } from '../../src/media/kept';
import { Player } from '../../src/media/player.svelte';
import { Upcoming } from '../../src/media/upcoming.svelte';
import type { Reached } from '../../src/progress/places.svelte';

/** An element that does what it is told, and tells it. */
class Fake extends EventTarget {
  #src: string | null = null;
  currentTime = 0;
  duration = Number.NaN;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 0;
  error: { code: number } | null = null;
  playbackRate = 1;
  defaultPlaybackRate = 1;
  volume = 1;
  muted = false;
  preload = '';

  get src() {
    return this.#src ?? '';
  }
  set src(url: string) {
    this.#src = url;
    this.load();
  }
  getAttribute = () => this.#src;
  hasAttribute = () => this.#src !== null;
  removeAttribute = () => (this.#src = null);
  load() {
    Object.assign(this, { currentTime: 0, readyState: 0, ended: false, paused: true, error: null });
  }
  play() {
    this.paused = false;
    this.say('play');
    return Promise.resolve();
  }
  pause() {
    if (this.paused) return;
    this.paused = true;
    this.say('pause');
  }
  remove() {}
  say(type: string) {
    this.dispatchEvent(new Event(type));
  }

  /** Its file has come. */
  arrive(duration: number) {
    this.duration = duration;
    this.readyState = 4;
    this.say('durationchange');
    this.say('loadedmetadata');
  }
  run(to: number) {
    this.currentTime = to;
    this.say('timeupdate');
  }
  finish() {
    Object.assign(this, { currentTime: this.duration, ended: true, paused: true });
    this.say('timeupdate');
    this.say('pause');
    this.say('ended');
  }
}

const file = (id: number, more: Partial<MediaFile> = {}) =>
  ({
    id,
    name: `${id}.mp3`,
    title: `Part ${id}`,
    viewer: 'audio',
    missing: false,
    part: id,
    episode: null,
    duration: 60,
    extent: 60,
    chapters: [],
    progress: null,
    content_url: `/files/${id}`,
    ...more,
  }) as MediaFile;
const book = (files: MediaFile[], form = 'audiobook') =>
  ({ id: 9, title: 'Book', authors: 'Somebody', cover: null, files, facts: { form } }) as unknown as Item;

function listen(item: Item, start: MediaFile, from?: number) {
  const heard = stand();
  heard.player.play(item, start, from);
  return heard;
}

/** A player with nothing in it; `there` are the items that the server shows. */
function stand(there: Item[] = [], left: Ids[] = []) {
  const elements = [new Fake(), new Fake()] as const;
  const noted: [number, Reached][] = [];
  const api = {
    probe: vi.fn(async () => 206),
    countView: vi.fn(async (id: number) => ({ views: id })),
    item: vi.fn(async (id: number) => {
      const one = there.find((item) => item.id === id);
      if (!one) throw new ApiError(404, 'not_found', 'No such item.');
      return one;
    }),
  };
  let ids = left;
  const kept = { get: () => ids, set: (list: readonly Ids[]) => void (ids = [...list]) };
  const places = {
    note: (_: unknown, { id }: { id: number }, reached: Reached) => void noted.push([id, reached]),
    settle: vi.fn(),
    resume: vi.fn(() => 0),
    of: vi.fn((): Progress | null => null),
  };
  const player = new Player(
    elements as unknown as readonly [HTMLAudioElement, HTMLAudioElement],
    api,
    places,
    kept,
    () => Date.now(),
  );
  return { player, elements, noted, api, places, kept };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a book in several files', () => {
  const files = [file(1), file(2), file(3)];

  it('is one line of time, and begins where it was asked to', () => {
    const { player, elements } = listen(book(files), files[1]!, 20);
    elements[0].arrive(60);
    expect(elements[0].currentTime).toBe(20);
    elements[0].run(21);
    expect([player.at, player.length, player.heading, player.playing]).toEqual([81, 180, 'Part 2', true]);
  });

  it('has the next file ready before this one ends, and goes on in the other element at once', () => {
    const { player, elements, noted } = listen(book(files), files[0]!, 0);
    const [first, second] = elements;
    first.arrive(60);
    first.run(20);
    expect(second.src).toBe('');
    first.run(31);
    expect(second.src).toBe('/files/2');
    second.arrive(60);
    player.setSpeed(1.5);
    first.finish();
    expect([second.paused, second.playbackRate, second.currentTime]).toEqual([false, 1.5, 0]);
    expect([player.index, player.playing]).toEqual([1, true]);
    expect(noted.at(-1)).toEqual([1, { position: 60, finished: true }]);
    expect(first.src).toBe('');
    second.run(2);
    expect(noted.at(-1)).toEqual([2, { position: 2 }]);
  });

  it('hears nothing of the element that only waits', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(40);
    elements[1].arrive(60);
    elements[1].run(7);
    elements[1].say('error');
    expect([player.time, player.trouble]).toEqual([40, null]);
  });

  it('loads the next one anew where what was fetched ahead is broken', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    const [first, second] = elements;
    first.arrive(60);
    first.run(40);
    second.error = { code: 2 };
    first.finish();
    expect([player.index, first.src]).toEqual([1, '/files/2']);
  });

  it('seeks and skips over the borders of its files', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(50);
    player.skip(30);
    expect([player.index, player.at]).toEqual([1, 80]);
    player.seek(179);
    expect([player.index, player.time]).toEqual([2, 59]);
    player.seek(-5);
    expect([player.index, player.time]).toEqual([0, 0]);
  });

  it('goes back to the chapter’s start first, then to the one before', () => {
    const { player, elements } = listen(book(files), files[1]!, 30);
    elements[0].arrive(60);
    elements[0].run(31);
    player.previous();
    expect([player.index, player.time]).toEqual([1, 0]);
    player.previous();
    expect(player.index).toBe(0);
    player.next();
    player.next();
    expect([player.index, player.hasNext]).toEqual([2, false]);
  });

  it('keeps its speed for the next book; music begins at its own', () => {
    const { player } = listen(book(files), files[0]!, 0);
    player.setSpeed(1.5);
    player.play({ ...book(files, 'album'), id: 10 }, files[0]!);
    expect(player.speed).toBe(1);
    player.play({ ...book(files), id: 11 }, files[0]!);
    expect(player.speed).toBe(1.5);
  });

  it('goes on where it was heard last, though that was elsewhere, but never jumps while it sounds', () => {
    const { player, elements, places } = listen(book(files), files[0]!, 10);
    elements[0].arrive(60);
    elements[0].run(12);
    places.resume.mockReturnValue(45);
    player.play(book(files), files[0]!);
    expect(elements[0].currentTime).toBe(12);
    player.pause();
    player.play(book(files), files[0]!);
    expect([elements[0].currentTime, elements[0].paused]).toEqual([45, false]);
  });

  it('takes a second press at its word, though the element has not told of the first one yet', () => {
    const { player, elements } = listen(book(files), files[0]!, 10);
    const [element] = elements;
    element.arrive(60);
    const told: string[] = [];
    element.say = (type) => void told.push(type);
    player.toggle();
    expect([element.paused, told]).toEqual([true, ['pause']]);
    player.toggle();
    expect([element.paused, told]).toEqual([false, ['pause', 'play']]);
    player.toggle();
    expect(element.paused).toBe(true);
  });

  it('ends once, without beginning anew', () => {
    const { player, elements, noted } = listen(book(files), files[2]!, 0);
    elements[0].arrive(60);
    elements[0].finish();
    expect([player.playing, player.index]).toEqual([false, 2]);
    expect(noted.at(-1)).toEqual([3, { position: 60, finished: true }]);
  });
});

describe('the sleep timer', () => {
  const files = [
    file(1, {
      chapters: [
        { title: 'A', start: 0 },
        { title: 'B', start: 30 },
      ],
    }),
    file(2),
  ];

  it('stops after its minutes, faded, and sounds as loud as before afterwards', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    player.sleep.inMinutes(5);
    vi.setSystemTime(298_000);
    elements[0].run(10);
    expect(elements[0].volume).toBeCloseTo(0.25);
    vi.setSystemTime(300_100);
    elements[0].run(12);
    expect([elements[0].paused, elements[0].volume, player.sleep.on]).toEqual([true, 1, false]);
  });

  it('stops at the end of the chapter, standing at the start of the next', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    player.sleep.afterMark(player.mark);
    elements[0].run(29.5);
    expect(player.playing).toBe(true);
    elements[0].run(30.2);
    expect([elements[0].paused, elements[0].currentTime, player.sleep.on]).toEqual([true, 30, false]);
  });

  it('stops where the chapter ends with its file', () => {
    const { player, elements } = listen(book(files), files[0]!, 40);
    elements[0].arrive(60);
    elements[0].run(45);
    elements[1].arrive(60);
    player.sleep.afterMark(player.mark);
    elements[0].finish();
    expect([player.index, player.playing, elements[1].paused]).toEqual([1, false, true]);
    player.toggle();
    expect(elements[1].paused).toBe(false);
  });

  it('waits for the end of the chapter one has gone to since', () => {
    const { player, elements } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    player.sleep.afterMark(player.mark);
    player.seek(40);
    elements[0].run(41);
    expect([player.playing, player.sleep.mark]).toEqual([true, 1]);
  });
});

describe('what goes wrong', () => {
  const files = [file(1), file(2)];
  const settled = () => vi.advanceTimersByTimeAsync(0);

  it('is told as what it is, and the next file can still be heard', async () => {
    const { player, elements, api } = listen(book(files, 'album'), files[0]!, 0);
    elements[0].say('error');
    await settled();
    expect([player.trouble, player.playing]).toEqual(['refused', false]);
    api.probe.mockResolvedValue(404);
    player.retry();
    elements[0].say('error');
    await settled();
    expect(player.trouble).toBe('missing');
    player.skipFile();
    expect([player.index, player.trouble]).toEqual([1, null]);
  });

  it('passes by itself when the server is back, at the same place', async () => {
    const { player, elements, api } = listen(book(files), files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(33);
    api.probe.mockResolvedValue(0);
    elements[0].say('error');
    await settled();
    expect(player.trouble).toBe('unreachable');
    await vi.advanceTimersByTimeAsync(5000);
    expect(player.trouble).toBe('unreachable');
    api.probe.mockResolvedValue(206);
    await vi.advanceTimersByTimeAsync(5000);
    expect(player.trouble).toBeNull();
    elements[0].arrive(60);
    expect([elements[0].currentTime, elements[0].paused]).toEqual([33, false]);
  });
});

describe('the deck', () => {
  it('fetches the player at the first sound, and not for what was stopped before it came', async () => {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const play = vi.fn();
    const load = vi.fn(async () => ({
      Dock: {} as never,
      start: () => ({ play, pause: vi.fn(), close: vi.fn() }) as unknown as Player,
    }));
    const deck = new Deck(load);
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

  it('does all that was asked of it while it was fetched, in order, and fetches it once', async () => {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const add = vi.fn();
    const load = vi.fn(async () => ({
      Dock: {} as never,
      start: () => ({ add, pause: vi.fn(), close: vi.fn() }) as unknown as Player,
    }));
    const deck = new Deck(load);
    for (const id of [1, 2]) deck.with((player) => player.add(book([file(id)]), file(id), false));
    await vi.advanceTimersByTimeAsync(0);
    deck.with((player) => player.add(book([file(3)]), file(3), false));
    expect(add.mock.calls.map(([, { id }]) => id)).toEqual([1, 2, 3]);
    expect(load).toHaveBeenCalledOnce();
  });

  /** A deck whose player is as real as its elements are not. */
  function decked(there: Item[], left: Ids[] = []) {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const all = stand(there, left);
    const start = () => {
      void all.player.restore();
      return all.player;
    };
    return { ...all, deck: new Deck(async () => ({ Dock: {} as never, start })) };
  }
  const thing = (id: number) => ({ ...book([file(id * 10)]), id }) as Item;
  const queued = (player: Player) => player.upcoming.entries.map(({ item }) => item.id);

  it('keeps what was queued while it was fetched, though silence was asked for meanwhile', async () => {
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

  it('takes up what was kept, though silence was asked for meanwhile', async () => {
    const { deck, player } = decked([thing(1)], [{ item: 1, file: 10, alone: false }]);
    deck.with(() => {});
    deck.pause();
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, player.playing]).toEqual([1, false]);
  });

  it('begins nothing over what was opened since it was queued', async () => {
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

  it('begins nothing over what was opened while the kept queue was still fetched', async () => {
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

  it('plays what was asked for and keeps what was queued, in whichever order that was', async () => {
    const { deck, player } = decked([]);
    deck.with((one, isWanted) => one.add(thing(1), null, false, isWanted));
    deck.play(thing(2), thing(2).files[0]!);
    await vi.advanceTimersByTimeAsync(0);
    expect([player.item?.id, player.playing, queued(player)]).toEqual([2, true, [1]]);
  });

  it('queues a card by its id, and says what has nothing to hear', async () => {
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

  it('says nothing where it does not come to somebody who has closed it and wants another', async () => {
    vi.stubGlobal('Audio', Fake);
    vi.stubGlobal('document', { body: { append: vi.fn() } });
    const play = vi.fn();
    const start = () => ({ play, pause: vi.fn(), close: vi.fn() }) as unknown as Player;
    let fail = () => {};
    const load = vi
      .fn<ConstructorParameters<typeof Deck>[0]>(async () => ({ Dock: {} as never, start }))
      .mockImplementationOnce(() => new Promise((_, reject) => (fail = () => reject(new Error('away')))));
    const deck = new Deck(load);
    deck.onfailed = vi.fn();
    deck.play(book([file(1)]), file(1));
    deck.close();
    deck.play(book([file(2)]), file(2));
    fail();
    await vi.advanceTimersByTimeAsync(0);
    expect(deck.onfailed).not.toHaveBeenCalled();
    expect(play).toHaveBeenCalledOnce();
  });

  it('says so where the player does not come', async () => {
    vi.stubGlobal('Audio', Fake);
    const deck = new Deck(() => Promise.reject(new Error('away')));
    deck.onfailed = vi.fn();
    deck.play(book([file(1)]), file(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(deck.onfailed).toHaveBeenCalledOnce();
  });
});

describe('a slider that is dragged', () => {
  const files = [file(1), file(2), file(3), file(4)];

  it('fetches none of the files it passes, only the one it is let go over', () => {
    const { player, elements } = listen(book(files), files[0]!);
    elements[0].arrive(60);
    const asked: string[] = [];
    for (const element of elements) {
      const load = element.load.bind(element);
      element.load = () => {
        if (element.src) asked.push(element.src);
        load();
      };
    }
    for (const place of [70, 110, 130, 170, 200]) player.scrub(place);
    expect(player.at).toBe(200);
    expect(asked).toEqual([]);
    player.letGo();
    expect(asked).toEqual(['/files/4']);
    expect(player.index).toBe(3);
    expect(player.at).toBe(200);
  });

  it('goes where the hand rests, and within a file at once', () => {
    const { player, elements } = listen(book(files), files[0]!);
    elements[0].arrive(60);
    player.scrub(30);
    expect(elements[0].currentTime).toBe(30);
    player.scrub(90);
    expect(player.index).toBe(0);
    vi.advanceTimersByTime(500);
    expect(player.index).toBe(1);
  });
});

describe('a transfer that breaks off', () => {
  it('is taken up once where it broke, then told of with a way to try again', async () => {
    const { player, elements } = listen(book([file(1)]), file(1));
    elements[0].arrive(60);
    elements[0].say('playing');
    elements[0].run(20);
    const breakOff = async () => {
      elements[0].error = { code: 2 };
      elements[0].say('error');
      await vi.advanceTimersByTimeAsync(1000);
    };
    await breakOff();
    expect(player.trouble).toBeNull();
    expect(elements[0].error).toBeNull();
    elements[0].arrive(60);
    expect(elements[0].currentTime).toBe(20);
    elements[0].say('playing');
    await breakOff();
    expect(player.trouble).toBe('interrupted');
    player.retry();
    expect(player.trouble).toBeNull();
  });
});

describe('a queue over several things', () => {
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
  /** Lets the file in front run to its end. */
  function finish({ elements }: ReturnType<typeof stand>) {
    const [front] = elements.filter((one) => !one.paused);
    front!.arrive(60);
    front!.finish();
  }

  it('begins with what is added where nothing plays, and waits where something does', () => {
    const all = stand();
    all.player.add(album, null, false);
    expect([heard(all.player), all.player.playing]).toEqual([[1, 10], true]);
    all.player.add(other, null, false);
    expect([heard(all.player), all.player.upcoming.entries.length]).toEqual([[1, 10], 1]);
  });

  it('goes on with the next thing at the end of one, and counts a view and the places of each', () => {
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

  it('plays one file alone under its own name, and the whole again when its page is asked', () => {
    const { player } = stand();
    player.add(album, album.files[0]!, false);
    expect([player.heading, player.queue.length, player.hasNext]).toEqual(['Part 10', 1, false]);
    player.play(album, album.files[0]!);
    expect([player.queue.length, player.alone]).toEqual([2, false]);
  });

  it('has the first file of the next thing ready, whatever is put before it', () => {
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

  it('gives a book its speed and the place it was left at, and music its own', () => {
    const all = stand();
    all.places.of.mockImplementation(((one: MediaFile) =>
      one.id === 31 ? { position: 25, finished: false, updated_at: '2026' } : null) as never);
    all.places.resume.mockImplementation(((one: MediaFile) => (one.id === 31 ? 25 : 0)) as never);
    all.player.play(novel, novel.files[0]!);
    all.player.setSpeed(1.5);
    all.player.add(other, null, false);
    all.player.add(novel, null, false);
    all.player.playEntry();
    expect([heard(all.player), all.player.speed]).toEqual([[2, 20], 1]);
    all.player.playEntry();
    expect([heard(all.player), all.player.speed, all.player.time]).toEqual([[3, 31], 1.5, 25]);
  });

  it('stops at the end of a track where the sleep timer says so, standing at the next thing', () => {
    const all = stand();
    all.player.add(album, album.files[0]!, false);
    all.player.add(other, null, false);
    all.player.sleep.afterMark(all.player.mark);
    finish(all);
    expect([heard(all.player), all.player.playing, all.player.sleep.on]).toEqual([[2, 20], false, false]);
    all.player.toggle();
    expect(all.player.playing).toBe(true);
  });

  it('counts a view of what one fell asleep before when it is begun, once, after a reload as well', async () => {
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

  it('lets the minutes of the sleep timer run on from thing to thing', () => {
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

  it('is reached by “Next” from the last track, and passes over what cannot be played', async () => {
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

  it('begins the one that is chosen and keeps the others', () => {
    const all = stand();
    for (const one of [album, other, novel, album]) all.player.add(one, null, false);
    const [, second] = all.player.upcoming.entries;
    all.player.playEntry(second!.key);
    expect(heard(all.player)).toEqual([3, 30]);
    expect(all.player.upcoming.entries.map(({ item }) => item.id)).toEqual([2, 1]);
    all.player.play(other, other.files[0]!);
    expect(all.player.upcoming.entries.length).toBe(2);
  });

  it('is kept by its ids, and gone when the player is closed', () => {
    const all = stand();
    all.player.add(album, null, false);
    all.player.add(other, other.files[1]!, false);
    all.player.add(novel, null, true);
    all.player.next();
    expect(all.kept.get()).toEqual([
      { item: 1, file: 11, alone: false },
      { item: 3, file: null, alone: false },
      { item: 2, file: 21, alone: true },
    ]);
    all.player.close();
    expect(all.kept.get()).toEqual([]);
  });

  it('comes back after a reload, standing still, counting no view, without what is gone', async () => {
    const left = [
      { item: 1, file: 11, alone: false },
      { item: 8, file: null, alone: false },
      { item: 2, file: 21, alone: true },
      { item: 2, file: 99, alone: true },
      { item: 3, file: null, alone: false },
    ];
    const all = stand([album, other, novel], left);
    all.places.resume.mockReturnValue(17);
    await all.player.restore();
    expect([heard(all.player), all.player.time, all.player.queue.length]).toEqual([[1, 11], 17, 2]);
    expect([all.player.playing, all.elements[0].src]).toEqual([false, '']);
    expect(all.player.upcoming.entries.map(({ item, file: one }) => [item.id, one?.id])).toEqual([
      [2, 21],
      [3, undefined],
    ]);
    expect(all.api.countView).not.toHaveBeenCalled();
    expect(all.kept.get()).toEqual([left[0], left[2], left[4]]);
    all.player.seek(20);
    all.player.resume();
    all.elements[0].arrive(60);
    expect([all.elements[0].src, all.elements[0].currentTime]).toEqual(['/files/11', 20]);
    expect(all.player.playing).toBe(true);
  });

  it('comes back with its first entry where what played is gone, and not over what plays by then', async () => {
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

  it('stays kept while it is fetched, whatever plays by then', async () => {
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
    expect(all.kept.get()).toEqual([now, left[1], left[2]]);
  });

  it('is not lost where the server says nothing of it until something else plays', async () => {
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

  it('is waited for by what is added while it is fetched', async () => {
    const all = stand([album, other], [{ item: 1, file: 11, alone: false }]);
    const back = all.player.restore();
    all.player.add(other, null, false);
    await back;
    await Promise.resolve();
    expect([heard(all.player), all.player.upcoming.entries.length]).toEqual([[1, 11], 1]);
  });

  it('is asked for once more by what is added after it did not come', async () => {
    const all = stand([album, other, novel], [{ item: 1, file: 11, alone: false }]);
    all.api.item.mockRejectedValueOnce(new ApiError(503, 'unavailable', 'Not now.'));
    await all.player.restore();
    for (const one of [other, novel]) all.player.add(one, null, false);
    await vi.advanceTimersByTimeAsync(0);
    expect([heard(all.player), all.player.playing]).toEqual([[1, 11], false]);
    expect(all.player.upcoming.entries.map(({ item }) => item.id)).toEqual([2, 3]);
  });

  it('stays behind what is added where it does not come then either, to its first entry', async () => {
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

  it('is fetched once where it is asked for twice at a time', async () => {
    const all = stand([album], [{ item: 1, file: 11, alone: false }]);
    await Promise.all([all.player.restore(), all.player.restore()]);
    expect([heard(all.player), all.api.item.mock.calls.length]).toEqual([[1, 11], 1]);
  });

  it('stays kept where the server does not say what is there', async () => {
    const left = [{ item: 1, file: 11, alone: false }];
    const all = stand([], left);
    all.api.item.mockRejectedValue(new ApiError(503, 'unavailable', 'Not now.'));
    await all.player.restore();
    expect([all.player.item, all.kept.get()]).toEqual([null, left]);
  });
});

describe('a long queue after a reload', () => {
  const single = (id: number) => ({ ...book([file(id * 10)], 'album'), id, title: `Thing ${id}` }) as Item;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
  const idsOf = (from: number, to: number): Ids[] =>
    range(from, to).map((item) => ({ item, file: null, alone: false }));
  const order = ({ upcoming: { entries, rest } }: Player) => [
    ...entries.map(({ item }) => item.id),
    ...rest.map(({ item }) => item),
  ];
  const settled = () => vi.advanceTimersByTimeAsync(0);

  /** A thousand things that were kept, and how many of them were asked for at once. */
  async function restored(gone: (id: number) => boolean = () => false) {
    const all = stand(range(1, 1001).map(single), idsOf(1, 1001));
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

  it('asks for what comes next, a few at a time, and forgets none of the others', async () => {
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

  it('passes over what is gone, however much that is, and no more at once for it', async () => {
    const { player, asked } = await restored((id) => id < 400);
    expect([player.item?.id, order(player)]).toEqual([400, range(401, 1001)]);
    expect(asked.most).toBeLessThanOrEqual(8);
  });

  it('is played through to its end', async () => {
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

  it('is cleared and put back whole, and takes what is added at its end', async () => {
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

  it('stands still where the server goes away, keeps the rest, and goes on with it', async () => {
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

  it('forgets what arrives after its end: another may be playing by then', async () => {
    const { player, kept } = await restored();
    void player.more();
    player.close();
    expect(kept.get()).toEqual([]);
    const [other] = idsOf(7, 8);
    kept.set([other!]);
    await vi.runAllTimersAsync();
    expect(kept.get()).toEqual([other]);
    const back = player.restore();
    await vi.runAllTimersAsync();
    await back;
    expect([player.item, player.upcoming.length]).toEqual([null, 0]);
  });

  it('plays nothing that is queued after its end, where nobody could stop it', async () => {
    const { player, elements } = await restored();
    player.close();
    player.add(single(3), null, false);
    expect([player.item, elements.every(({ paused }) => paused)]).toEqual([null, true]);
  });

  it('leaves alone what is heard once more while the next one is waited for', async () => {
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

describe('what was kept', () => {
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

  it('is one person’s, and only what makes sense of it', () => {
    const one = { item: 1, file: null, alone: false };
    const text = JSON.stringify([one, null, { item: 'x', file: 2, alone: true }, { item: 2, file: 3 }, 5]);
    expect(new Kept(4, shelf(text).shelf).get()).toEqual([one]);
    expect(new Kept(5, shelf(text).shelf).get()).toEqual([]);
    for (const nonsense of ['', '{', '{}', '7']) expect(new Kept(4, shelf(nonsense).shelf).get()).toEqual([]);
    const { kept, shelf: written } = shelf('');
    new Kept(4, written).set([one]);
    expect(new Kept(4, written).get()).toEqual([one]);
    new Kept(4, written).set([]);
    expect(kept.get('queue.4')).toBe('');
  });
});

describe('the order of a queue', () => {
  const one = (id: number) => ({ id, files: [] }) as unknown as Item;
  function queued() {
    const onchange = vi.fn();
    const upcoming = new Upcoming(onchange);
    for (const id of [1, 2, 3]) upcoming.add(one(id), null, false);
    const keys = upcoming.entries.map(({ key }) => key) as [number, number, number];
    return { upcoming, onchange, keys, order: () => upcoming.entries.map(({ item }) => item.id) };
  }

  it('is one’s own: first, last, and to any place', () => {
    const { upcoming, keys, order } = queued();
    upcoming.add(one(4), null, true);
    expect(order()).toEqual([4, 1, 2, 3]);
    upcoming.move(keys[0], 3);
    expect(order()).toEqual([4, 2, 3, 1]);
    upcoming.move(keys[2], -5);
    upcoming.move(keys[0], 99);
    expect(order()).toEqual([3, 4, 2, 1]);
  });

  it('tells of each change, and of none where there is none', () => {
    const { upcoming, onchange, keys } = queued();
    expect(onchange).toHaveBeenCalledTimes(3);
    upcoming.move(keys[1], 1);
    upcoming.move(77, 0);
    expect(onchange).toHaveBeenCalledTimes(3);
    upcoming.remove(keys[1]);
    expect(onchange).toHaveBeenCalledTimes(4);
  });

  it('is put back after something was taken out, until anything else happens', () => {
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
