/** The loudness by replay gain, and the speeds of long works. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { FileGain, Item } from '../../../src/api/models';
import { FileGains } from '../../../src/playback/sound/file-gains.svelte';
import { gainOf, outputVolume, UNCHANGED, withFileGain } from '../../../src/playback/sound/gain';
import { areLong, Speeds } from '../../../src/playback/sound/speeds';
import { book, file, listen, stand } from './fake-player';

function shelf(start: Record<string, string> = {}) {
  const values = new Map(Object.entries(start));
  return {
    get: (name: string) => values.get(name) ?? null,
    set: (name: string, value: string) => void values.set(name, value),
  };
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
  const { get, set } = shelf();
  vi.stubGlobal('localStorage', { getItem: get, setItem: set });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('replay gain', () => {
  const both = { track_gain: -12, track_peak: 1.1, album_gain: -6, album_peak: 0.9 };
  const volumeOf = (
    volume: number,
    facts: Record<string, unknown>,
    mode: 'auto' | 'track' | 'album',
    inOrder = true,
  ) => outputVolume(volume, gainOf(facts, mode, inOrder));

  it('is automatically that of the album while it plays in order, and otherwise that of the track', () => {
    expect(volumeOf(1, both, 'auto')).toBeCloseTo(0.5012, 4);
    expect(volumeOf(1, both, 'auto', false)).toBeCloseTo(0.2512, 4);
  });

  it('is always that of the track or of the album, if the user selected it', () => {
    for (const inOrder of [true, false]) {
      expect(volumeOf(1, both, 'track', inOrder)).toBeCloseTo(0.2512, 4);
      expect(volumeOf(1, both, 'album', inOrder)).toBeCloseTo(0.5012, 4);
    }
  });

  it('replaces a missing one, and changes nothing without any or if it is off', () => {
    expect(volumeOf(1, { track_gain: -6 }, 'album')).toBeCloseTo(0.5012, 4);
    expect(volumeOf(1, { album_gain: -6 }, 'track')).toBeCloseTo(0.5012, 4);
    expect(gainOf({}, 'album', true)).toEqual(UNCHANGED);
    expect(gainOf(both, 'off', true)).toEqual(UNCHANGED);
  });

  it('scales the volume of the user', () => {
    expect(volumeOf(0.4, both, 'album')).toBeCloseTo(0.2005, 4);
    expect(volumeOf(0, both, 'album')).toBe(0);
  });

  it('raises quiet recordings within the headroom below the volume of the user, and never above 1', () => {
    expect(volumeOf(0.25, { track_gain: 6 }, 'track')).toBeCloseTo(0.4988, 4);
    expect(volumeOf(0.8, { track_gain: 6 }, 'track')).toBe(1);
    expect(volumeOf(1, { track_gain: 51 }, 'track')).toBe(1);
  });

  it('prevents clipping by the peak', () => {
    expect(volumeOf(1, { track_gain: 3, track_peak: 1.25 }, 'track')).toBe(0.8);
    expect(volumeOf(0.5, { track_gain: 3, track_peak: 1.25 }, 'track')).toBeCloseTo(0.7063, 4);
    expect(volumeOf(1, { track_gain: 0, track_peak: 0.2 }, 'track')).toBe(1);
  });

  it('ignores values that are no gain or no peak', () => {
    for (const gain of [Number.NaN, Number.POSITIVE_INFINITY, -99, '−6', null])
      expect(gainOf({ track_gain: gain }, 'track', true)).toEqual(UNCHANGED);
    for (const peak of [0, -1, 99, Number.NaN, '1'])
      expect(gainOf({ track_gain: 0, track_peak: peak }, 'track', true)).toEqual(UNCHANGED);
  });
});

const gainOfFile = (file_id: number, track_gain: number | null): FileGain => ({
  ...{ file_id, track_gain },
  ...{ track_peak: null, album_gain: null, album_peak: null },
});

describe('the gains of files', () => {
  const answer = { items: [gainOfFile(1, -6)] };

  it('are requested once for each album', async () => {
    const gains = vi.fn(async () => answer);
    const all = new FileGains({ gains }, () => 0);
    for (const item of [5, 5, 6]) all.request(item);
    await vi.advanceTimersByTimeAsync(0);
    all.request(5);
    expect(gains.mock.calls).toEqual([[5], [6]]);
    expect([all.of(5, 1)?.track_gain, all.of(5, 2), all.of(7, 1)]).toEqual([-6, undefined, undefined]);
  });

  it('are requested again half a minute after a failure', async () => {
    const gains = vi.fn(async () => answer).mockRejectedValueOnce(new Error('no connection'));
    let now = 0;
    const all = new FileGains({ gains }, () => now);
    for (now of [0, 1_000, 29_000, 31_000]) {
      all.request(5);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(gains).toHaveBeenCalledTimes(2);
    expect(all.of(5, 1)?.track_gain).toBe(-6);
  });

  it('complete the facts of their album', () => {
    const facts = { form: 'album', album_gain: -4, album_peak: 0.9 };
    expect(withFileGain(facts, gainOfFile(1, -6))).toMatchObject({ ...facts, track_gain: -6 });
    expect(withFileGain(facts, undefined)).toEqual(facts);
  });
});

describe('the player', () => {
  const tagged = (id: number, gain: number) =>
    ({ ...book([file(id * 10)], 'track'), id, facts: { form: 'track', track_gain: gain } }) as Item;

  it('applies the gain of each recording, and leaves the volume of the user as it is', () => {
    const { player, elements } = stand();
    player.setVolume(0.8);
    player.add(tagged(1, -6), null, false);
    player.add(tagged(2, -20), null, false);
    expect(elements[0].volume).toBeCloseTo(0.40095, 4);
    elements[0].arrive(60);
    elements[0].run(41);
    elements[1].arrive(60);
    elements[0].finish();
    expect(elements[1].volume).toBeCloseTo(0.08, 4);
    expect(player.settings.value.volume).toBe(0.8);
    player.settings.change({ gain: 'off' });
    elements[1].run(2);
    expect(elements[1].volume).toBe(0.8);
  });

  it('plays the tracks of an album as loud as the album while they are in order', () => {
    const album = {
      ...book(
        [1, 2, 3].map((id) => file(id)),
        'album',
      ),
      facts: { form: 'album', album_gain: -6, track_gain: -12 },
    } as Item;
    const { player, elements } = listen(album, album.files[0]!, 0);
    expect(elements[0].volume).toBeCloseTo(0.5012, 4);
    elements[0].arrive(60);
    player.shuffle();
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.2512, 4);
  });

  const albumOf = (id: number) => {
    const files = [1, 2].map((part) => file(id * 10 + part));
    return { ...book(files, 'album'), id, facts: { form: 'album', album_gain: -6 } } as Item;
  };
  const gains = { 3: [gainOfFile(31, -12), gainOfFile(32, -20)], 4: [gainOfFile(41, -12)] };
  const withGains = () => stand([], [], undefined, null, gains);
  const arrived = () => vi.advanceTimersByTimeAsync(0);

  it('requests the gains of tracks only if they apply', async () => {
    const { player, elements, api } = withGains();
    player.play(albumOf(3), albumOf(3).files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(2);
    expect(api.gains).not.toHaveBeenCalled();
    player.settings.change({ gain: 'track' });
    elements[0].run(3);
    await arrived();
    elements[0].run(4);
    expect(api.gains.mock.calls).toEqual([[3]]);
    expect(elements[0].volume).toBeCloseTo(0.2512, 4);
  });

  it('plays a shuffled album by track', async () => {
    const { player, elements } = withGains();
    player.play(albumOf(3), albumOf(3).files[0]!, 0);
    elements[0].arrive(60);
    player.shuffle();
    elements[0].run(2);
    await arrived();
    elements[0].run(3);
    expect(elements[0].volume).toBeCloseTo(player.file?.id === 31 ? 0.2512 : 0.1, 4);
  });

  it('plays a single track of an album by track', async () => {
    const { player, elements } = withGains();
    player.add(albumOf(3), albumOf(3).files[1]!, false);
    elements[0].arrive(60);
    await arrived();
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.1, 4);
  });

  it('plays a queue of albums by track, from the next file on', async () => {
    const { player, elements } = withGains();
    player.play(albumOf(3), albumOf(3).files[0]!, 0);
    elements[0].arrive(60);
    player.add(albumOf(4), null, false);
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.5012, 4);
    player.go(1, 0);
    elements[0].arrive(60);
    await arrived();
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.1, 4);
    player.next();
    elements[0].arrive(60);
    await arrived();
    elements[0].run(2);
    // The queue is empty now, but the album is still one of several.
    expect([player.item?.id, player.upcoming.length]).toEqual([4, 0]);
    expect(elements[0].volume).toBeCloseTo(0.2512, 4);
    player.play(albumOf(3), albumOf(3).files[0]!, 0);
    elements[0].arrive(60);
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.5012, 4);
  });

  it('keeps the gain of the album for a book in a queue of books', () => {
    const { player, elements, api } = withGains();
    const novel = {
      ...book([file(1), file(2)]),
      id: 8,
      facts: { form: 'audiobook', album_gain: -6 },
    } as Item;
    player.play(novel, novel.files[0]!, 0);
    player.add({ ...novel, id: 9 }, null, false);
    player.go(1, 0);
    elements[0].arrive(60);
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.5012, 4);
    expect(api.gains).not.toHaveBeenCalled();
  });

  it('keeps the gain of the album if those of its tracks do not arrive', async () => {
    const { player, elements, api } = withGains();
    api.gains.mockRejectedValue(new Error('no connection'));
    player.settings.change({ gain: 'track' });
    player.play(albumOf(3), albumOf(3).files[0]!, 0);
    elements[0].arrive(60);
    await arrived();
    elements[0].run(2);
    expect(elements[0].volume).toBeCloseTo(0.5012, 4);
  });

  it('fades in proportion at the end of the sleep timer', () => {
    const { player, elements } = listen(tagged(1, -6), tagged(1, -6).files[0]!, 0);
    elements[0].arrive(600);
    player.sleep.inMinutes(5);
    vi.setSystemTime(296_000);
    elements[0].run(296);
    expect(elements[0].volume).toBeCloseTo(0.2506, 4);
  });
});

describe('the speed', () => {
  const [one, two] = [9, 11].map((id) => ({ ...book([file(id)]), id }) as Item);
  const speedOf = (item: Item) => listen(item, item.files[0]!).player.speed;

  it('is remembered per book; a new one begins with the latest', () => {
    const { player } = listen(one!, one!.files[0]!);
    player.setSpeed(1.5);
    player.play(two!, two!.files[0]!);
    expect(player.speed).toBe(1.5);
    player.setSpeed(1.1);
    expect([speedOf(one!), speedOf(two!)]).toEqual([1.5, 1.1]);
  });

  it('is remembered for each long recording, and not for a song', () => {
    const lecture = { ...book([file(5, { duration: 3600 })], 'track'), id: 5 } as Item;
    const song = { ...book([file(6, { duration: 200 })], 'track'), id: 6 } as Item;
    for (const item of [lecture, song]) listen(item, item.files[0]!).player.setSpeed(2);
    expect([speedOf(lecture), speedOf(song)]).toEqual([2, 1]);
    const other = { ...lecture, id: 7 };
    expect(speedOf(other)).toBe(1);
  });

  it('is remembered for the latest 200 works, and damaged values are ignored', () => {
    const kept = shelf();
    const speeds = new Speeds(kept);
    for (let id = 0; id < 201; id += 1) speeds.keep(id, 1.25);
    expect([speeds.of(0), speeds.of(1), speeds.of(200)]).toEqual([undefined, 1.25, 1.25]);
    for (const text of ['x', 'null', '{}', '[[1,"2"],[1,99],["1",2],7]'])
      expect(new Speeds(shelf({ speeds: text })).of(1)).toBeUndefined();
  });

  it('belongs to works whose files are all long', () => {
    expect([areLong([]), areLong([{ duration: 1300 }, { duration: 60 }])]).toEqual([false, false]);
    expect(areLong([{ duration: 1300 }, { duration: 5000 }])).toBe(true);
  });
});
