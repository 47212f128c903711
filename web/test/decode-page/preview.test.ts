/** The preview on the timeline: its sources, its requests, and what it keeps. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { firstTime } from '../../src/playback/decode/worker/fragment';
import { reducedOf } from '../../src/playback/decode/worker/reduce';
import { MOST, PreviewCache } from '../../src/viewers/video/preview/cache';
import { Previews, REST } from '../../src/viewers/video/preview/previews';
import * as devices from '../../src/playback/decode/device';
import { loadPreview } from '../../src/viewers/video/preview/load';
import { previewsOf } from '../../src/viewers/video/preview/of-film';
import * as sources from '../../src/viewers/video/preview/source';
import { sourceOf, type Taken } from '../../src/viewers/video/preview/source';

const supports = { decoder: true, plays: (type: string) => !/hvc1|ac-3/.test(type), appends: () => true };
const device = { speeds: {} };

function film(container: string | null, vcodec: string | null, acodec: string) {
  const streams = [{ type: 'audio', codec: acodec, default: true }];
  return { container, vcodec, acodec, width: 1920, height: 1080, streams };
}

describe('the source of pictures', () => {
  it.each([
    ['a native film', film('mp4', 'h264', 'aac'), 'native', 'element'],
    ['a film of which only the sound is decoded', film('matroska', 'h264', 'ac3'), 'transmux', 'element'],
    ['a film in another container', film('mpegts', 'h264', 'aac'), 'transmux', 'decoder'],
    ['a decoded film', film('avi', 'mpeg4', 'mp3'), 'decode', 'decoder'],
    ['a film that only the decoders could open', film('avi', 'mpeg4', 'mp3'), 'native', null],
    ['a recording', film('mp3', null, 'mp3'), 'native', null],
    ['a film that does not play', film('avi', 'vvc', 'mp3'), 'no', null],
  ] as const)('of %s', (_, facts, way, expected) => {
    expect(sourceOf(facts, way, supports, device)).toBe(expected);
  });

  it('is none on slow networks, and for films that are slow to decode', () => {
    const native = film('mp4', 'h264', 'aac');
    expect(sourceOf(native, 'native', supports, device, { saveData: true })).toBeNull();
    expect(sourceOf(native, 'native', supports, device, { effectiveType: '3g' })).toBeNull();
    expect(sourceOf(native, 'native', supports, device, { effectiveType: '4g' })).toBe('element');
    const decoded = film('avi', 'mpeg4', 'mp3');
    const at = (mpeg4: number) => sourceOf(decoded, 'decode', supports, { speeds: { mpeg4 } });
    expect([at(5e6), at(6e7), at(2e8)]).toEqual([null, null, 'decoder']);
  });
});

describe('the pictures in memory', () => {
  it('are the latest ones, by number and by bytes', () => {
    const cache = new PreviewCache<{ width: number; height: number }>();
    for (let place = 0; place < 500; place += 1) cache.add(place, { width: 240, height: 135 });
    expect(cache.size.bytes).toBeLessThanOrEqual(MOST.bytes);
    expect(cache.get(499)).not.toBeNull();
    expect(cache.get(0)).toBeNull();
    for (let place = 0; place < 500; place += 1) cache.add(place, { width: 2, height: 2 });
    expect(cache.size).toEqual({ count: MOST.count, bytes: MOST.count * 16 });
    // Use keeps a picture.
    cache.get(500 - MOST.count);
    cache.add(900, { width: 2, height: 2 });
    expect(cache.get(500 - MOST.count)).not.toBeNull();
    expect(cache.get(501 - MOST.count)).toBeNull();
  });
});

describe('the requests', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function opened(cost = 20, isBusy = false) {
    const asked: number[] = [];
    const source = {
      limit: 300,
      take: async (at: number): Promise<Taken | null> => {
        asked.push(at);
        await new Promise((resolve) => setTimeout(resolve, cost));
        return { picture: { width: 240, height: 135, at } as unknown as HTMLCanvasElement, cost };
      },
      close: vi.fn(),
    };
    const open = vi.fn(() => source);
    const film = { length: 3000 };
    const previews = new Previews(
      () => film.length,
      open,
      () => isBusy,
    );
    return { asked, source, open, previews, film };
  }
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

  it('begin once the pointer rests, and not while it moves', async () => {
    const { asked, open, previews } = opened();
    const show = vi.fn();
    for (let at = 0; at < 2000; at += 100) {
      const leave = previews.show(at, show);
      await pass(REST / 3);
      leave();
    }
    expect(open).not.toHaveBeenCalled();
    previews.show(1004, show);
    await pass(REST + 50);
    expect(asked).toEqual([1005]);
    expect(show).toHaveBeenCalledOnce();
  });

  it('are made once for a place, and one at a time: the last wish counts', async () => {
    const { asked, previews } = opened(250);
    const late = vi.fn();
    previews.show(1004, vi.fn());
    await pass(REST + 10);
    const leave = previews.show(200, late);
    await pass(REST + 10);
    leave();
    const last = vi.fn();
    previews.show(2000, last);
    await pass(1000);
    expect(asked).toEqual([1005, 2005]);
    expect(late).not.toHaveBeenCalled();
    expect(last).toHaveBeenCalledOnce();
    const again = vi.fn();
    previews.show(1007, again);
    expect(again).toHaveBeenCalledOnce();
    expect(asked).toHaveLength(2);
  });

  it('end if pictures cost too much, and wait while playback has no data', async () => {
    const { asked, source, previews } = opened(400);
    for (let at = 0; at < 100; at += 10) {
      previews.show(at, vi.fn());
      await pass(1000);
    }
    expect(asked).toHaveLength(3);
    expect(source.close).toHaveBeenCalled();
    const busy = opened(20, true);
    busy.previews.show(5, vi.fn());
    await pass(1000);
    expect(busy.open).not.toHaveBeenCalled();
  });

  it('go on after an error of the source', async () => {
    const { asked, source, previews } = opened();
    const { take } = source;
    source.take = () => Promise.reject(new Error('the canvas is tainted'));
    previews.show(5, vi.fn());
    await pass(1000);
    source.take = take;
    const show = vi.fn();
    previews.show(500, show);
    await pass(1000);
    expect(asked).toEqual([505]);
    expect(show).toHaveBeenCalledOnce();
  });

  it('follow a length that becomes known later', async () => {
    const { asked, previews, film } = opened();
    film.length = 0;
    previews.show(0, vi.fn());
    await pass(1000);
    film.length = 6000;
    previews.show(5, vi.fn());
    await pass(1000);
    expect(asked).toEqual([0, 10]);
  });

  it('close the source after a while, and open it again', async () => {
    const { source, open, previews } = opened();
    previews.show(5, vi.fn());
    await pass(60_000);
    expect(source.close).toHaveBeenCalledOnce();
    previews.show(500, vi.fn());
    await pass(1000);
    expect(open).toHaveBeenCalledTimes(2);
  });
});

describe('the previews of a film', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('navigator', {});
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('read the speed of the device when they open their source', async () => {
    const chosen = vi.spyOn(sources, 'sourceOf').mockReturnValue(null);
    const device = vi.spyOn(devices, 'readDevice').mockReturnValue({ speeds: {} });
    const reel = { ...film('avi', 'mpeg4', 'mp3'), name: 'film.avi', content_url: '/film' };
    const decision = { way: 'decode', reason: { kind: 'chosen' } } as const;
    const page = { there: { reel }, decision, begun: true, waiting: false, previews: null };
    const player = { length: 60, element: undefined };
    const previews = previewsOf(page, player);
    expect(previewsOf(page, player)).toBe(previews);
    previews.show(5, vi.fn());
    await vi.advanceTimersByTimeAsync(1000);
    const measured = { speeds: { mpeg4: 5e6 } };
    device.mockReturnValue(measured);
    previews.show(9, vi.fn());
    await vi.advanceTimersByTimeAsync(1000);
    expect(chosen.mock.calls.map(([, , , device]) => device)).toEqual([{ speeds: {} }, measured]);
  });

  it('are none without their code, and the timeline works', async () => {
    vi.doMock('../../src/viewers/video/preview/Preview.svelte', () => {
      throw new Error('the chunk is missing');
    });
    expect(await loadPreview()).toBeNull();
    vi.doUnmock('../../src/viewers/video/preview/Preview.svelte');
  });
});

describe('a fragment of MP4', () => {
  const box = (type: string, content: number[]): number[] => {
    const size = content.length + 8;
    return [0, 0, size >> 8, size & 255, ...[...type].map((letter) => letter.charCodeAt(0)), ...content];
  };
  const word = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255);
  const fragment = (flags: number, ...sample: number[]) => {
    const trun = box('trun', [...word(flags), ...word(1), ...word(99), ...sample.flatMap(word)]);
    const tfdt = box('tfdt', [...word(0x0100_0000), ...word(0), ...word(900_000)]);
    const traf = box('traf', [...box('tfhd', [...word(0), ...word(1)]), ...tfdt, ...trun]);
    return Uint8Array.from(box('moof', [...box('mfhd', [...word(0), ...word(1)]), ...traf]));
  };

  it('states the time at which its first picture is shown', () => {
    expect(firstTime(fragment(0x301, 3600, 500))).toBe(10);
    expect(firstTime(fragment(0xb01, 3600, 500, 9000))).toBeCloseTo(10.1);
    expect(firstTime(fragment(0x0100_0b01, 3600, 500, -9000))).toBeCloseTo(9.9);
  });

  it('is not there at the start of a file, or in damaged bytes', () => {
    expect(firstTime(Uint8Array.from(box('ftyp', [1, 2, 3, 4])))).toBeNull();
    expect(firstTime(new Uint8Array(3))).toBeNull();
    const whole = fragment(0x301, 3600, 500);
    for (let end = 0; end < whole.length - 8; end += 1)
      expect(() => firstTime(whole.subarray(0, end))).not.toThrow();
  });
});

it('a picture is averaged to its width, with the samples of each plane', () => {
  const plane = (width: number, height: number, data: Uint8Array, stride: number) => ({
    data,
    stride,
    width,
    height,
  });
  const luma = Uint8Array.from({ length: 8 * 4 }, (_, at) => (at % 8 < 4 ? 40 : 200));
  const picture = reducedOf(
    {
      ...{
        time: 3,
        width: 8,
        height: 4,
        isRgba: false,
        depth: 8,
        isFullRange: false,
        matrix: 1,
        transfer: 0,
      },
      ...{ interlaced: 1, aspect: [1, 1], rotation: 0 },
      planes: [
        plane(8, 4, luma, 8),
        ...[90, 160].map((value) => plane(4, 2, new Uint8Array(8).fill(value), 4)),
      ],
    },
    4,
  );
  expect(picture).toMatchObject({ width: 4, height: 2, time: 3, matrix: 'bt709', interlaced: 'no' });
  expect(picture.planes.map(({ data }) => [...new Uint8Array(data)])).toEqual([
    [40, 40, 200, 200, 40, 40, 200, 200],
    [90, 90],
    [160, 160],
  ]);
});
