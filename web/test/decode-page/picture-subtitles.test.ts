/** Picture subtitles: their tracks, their time, and their place over the film. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { stream } from './fakes';
import type { SubtitleCue } from '../../src/playback/decode/protocol';
import { FilmSettings } from '../../src/viewers/video/saved/settings';
import { preferredSubtitles } from '../../src/viewers/video/subtitles/subtitle-choice';
import { LIMIT, PictureCues } from '../../src/viewers/video/subtitles/pictures/cues';
import { SubtitleTracks } from '../../src/viewers/video/subtitles/subtitle-tracks.svelte';
import { boundsOf, placeOf } from '../../src/viewers/video/subtitles/pictures/place';
import { offeredTracks, pictureTracks, streamOf } from '../../src/viewers/video/subtitles/pictures/tracks';

const fact = (type: string, codec: string, language: string | null = null, more = {}) => ({
  ...{ type, codec, language, title: null, default: false, forced: false },
  ...more,
});

describe('the tracks', () => {
  const facts = [
    fact('video', 'h264'),
    fact('subtitle', 'subrip', 'en'),
    fact('subtitle', 'hdmv_pgs_subtitle', 'eng', { title: 'Signs', forced: true }),
    fact('subtitle', 'dvd_subtitle', null, { title: 'Kommentar' }),
    fact('subtitle', 'dvb_teletext', 'de'),
    fact('subtitle', 'dvb_subtitle', 'de'),
  ];

  it('are the picture streams, by language and title', () => {
    const tracks = pictureTracks(facts);
    expect(tracks.map(({ id, format, label }) => [id, format, label])).toEqual([
      ['p0', 'pgs', 'English – Signs (forced)'],
      ['p1', 'vobsub', 'Kommentar'],
      ['p2', 'dvb', 'German'],
    ]);
    expect(tracks.every(({ formats, embedded }) => formats.length === 0 && embedded)).toBe(true);
  });

  it('are found in the file by their number among the pictures, whatever else it contains', () => {
    const subtitle = (index: number, codec: string, more = {}) =>
      stream(index, 'subtitle', { codec, ...more });
    const streams = [
      stream(0, 'video'),
      subtitle(1, 'subrip'),
      subtitle(4, 'hdmv_pgs_subtitle'),
      subtitle(7, 'dvd_subtitle', { decodable: false }),
      subtitle(9, 'dvb_subtitle'),
    ];
    expect([0, 1, 2, 3].map((picture) => streamOf({ streams }, picture))).toEqual([4, null, 9, null]);
  });

  it('that are forced are selected by language, and a remembered choice prefers its kind', () => {
    const [signs] = pictureTracks(facts);
    const { picture, ...more } = signs ?? { picture: 0 };
    const text = { ...more, id: 'e1', label: 'English', forced: false, formats: ['vtt'] };
    const list = [text, ...pictureTracks(facts)] as Parameters<typeof preferredSubtitles>[0];
    expect(preferredSubtitles(list, null, ['en'])?.id).toBe('p0');
    const choice = { language: 'en', label: 'English', forced: false };
    const both = [...list, { ...text, id: 'p9', picture }] as typeof list;
    expect(preferredSubtitles(both, { ...choice, picture: true }, ['fr'])?.id).toBe('p9');
    expect(preferredSubtitles(both, choice, ['fr'])?.id).toBe('e1');
    expect(preferredSubtitles(list, { ...choice, picture: true }, ['fr'])?.id).toBe('e1');
  });
});

it('the shown track has its own number, wherever it is in the list', () => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} });
  const tracks = new SubtitleTracks(new FilmSettings(1, 1));
  const [picture] = pictureTracks([fact('subtitle', 'dvd_subtitle')]);
  if (!picture) throw new Error('no track');
  const text = {
    ...{ id: 'e1', label: 'English', language: 'en', format: 'srt', formats: ['vtt'], url: '/e1.vtt' },
    ...{ forced: false, default: false, hearing_impaired: false, embedded: true },
  };
  tracks.list = [
    { ...picture, id: 'p2', picture: 2 },
    { ...text, id: 'e1' },
  ];
  tracks.chosen = 'p2';
  expect([tracks.picture, tracks.text]).toEqual([2, null]);
  tracks.chosen = 'e1';
  expect([tracks.picture, tracks.text?.id]).toEqual([null, 'e1']);
  vi.unstubAllGlobals();
});

describe('the offer', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each([
    ['a film that can be repackaged', 'matroska', 'h264', [1, 1]],
    ['a native film that would be decoded for them', 'matroska', 'vp8', [1, 0]],
    ['a film that is decoded anyway', 'avi', 'mpeg4', [1, 1]],
    ['a film that does not play', 'avi', 'vvc', [0, 0]],
  ] as const)('of %s', (_, container, vcodec, expected) => {
    const isSupported = { isTypeSupported: () => true };
    vi.stubGlobal('MediaSource', isSupported);
    vi.stubGlobal('Worker', class {});
    vi.stubGlobal('document', { createElement: () => ({ canPlayType: () => 'maybe' }) });
    const streams = [fact('subtitle', 'hdmv_pgs_subtitle', 'en')];
    const reel = { container, vcodec, acodec: null, width: 640, height: 360, streams };
    const film = { there: { reel }, audio: 0 } as unknown as Parameters<typeof offeredTracks>[0];
    const { all, cheap } = offeredTracks(film, streams);
    expect([all.length, cheap.length]).toEqual(expected);
  });
});

function cue(start: number, end: number | null, bytes = 16, text: string | null = null): SubtitleCue {
  const picture = { x: 0, y: 0, width: 2, height: 2, data: new ArrayBuffer(bytes) };
  return { stream: 3, start, end, text, area: null, pictures: bytes > 0 ? [picture] : [] };
}

describe('the cues', () => {
  it('last to their end, or to the next one', () => {
    const cues = new PictureCues();
    for (const one of [cue(9, null), cue(1, 2), cue(5, null), cue(7, null, 0)]) cues.add(one, 0);
    const at = (time: number) => cues.at(time)?.start ?? null;
    expect([0, 1, 1.9, 2, 5, 6.9, 7, 8, 100].map(at)).toEqual([null, 1, 1, null, 5, 5, null, null, 9]);
    cues.clear();
    expect([at(1), cues.bytes]).toEqual([null, 0]);
  });

  it('are kept once if the decoder repeats them, and texts are not kept', () => {
    const cues = new PictureCues();
    for (const one of [cue(1, 2), cue(3, 4), cue(1, 2), cue(3, 4), cue(5, 6, 16, '0,0,Text')])
      cues.add(one, 0);
    expect(cues.bytes).toBe(32);
    expect(cues.at(5.5)).toBeNull();
  });

  it('stay within a limit of memory: past ones are dropped first, then the farthest', () => {
    const cues = new PictureCues();
    const large = LIMIT / 4;
    for (let at = 0; at < 10; at += 1) cues.add(cue(at, at + 1, large), at);
    expect(cues.bytes).toBeLessThanOrEqual(LIMIT);
    expect(cues.at(9.5)?.start).toBe(9);
    expect(cues.at(2.5)).toBeNull();
    const ahead = new PictureCues();
    for (let at = 0; at < 10; at += 1) ahead.add(cue(at, at + 1, large), 0);
    expect(ahead.bytes).toBeLessThanOrEqual(LIMIT);
    expect(ahead.at(0.5)?.start).toBe(0);
  });
});

describe('the place', () => {
  const player = { width: 1600, height: 900 };
  const bounds = boundsOf([
    { x: 860, y: 950, width: 100, height: 40 },
    { x: 900, y: 1000, width: 160, height: 40 },
  ]);

  it('contains all pictures of a cue', () => {
    expect(bounds).toEqual({ left: 860, top: 950, width: 200, height: 90 });
  });

  const disc = { width: 1920, height: 1080 };
  it('is that of the film with its size', () => {
    const film = { shown: disc, stored: disc };
    const place = placeOf(bounds, disc, film, player);
    expect(place.left).toBeCloseTo(860 / 1.2);
    expect(place.top).toBeCloseTo(950 / 1.2);
    expect(place.width).toBeCloseTo(200 / 1.2);
    expect(place.isFoot).toBe(true);
    expect(placeOf({ ...bounds, top: 40 }, disc, film, player).isFoot).toBe(false);
  });

  it('keeps the shape of letters over a cropped or smaller film, and stays in the player', () => {
    for (const size of [
      { width: 1920, height: 800 },
      { width: 1280, height: 534 },
    ]) {
      const place = placeOf(bounds, disc, { shown: size, stored: size }, player);
      expect(place.width / place.height).toBeCloseTo(200 / 90, 1);
      expect(place.width).toBeCloseTo(200 / 1.2, 0);
      expect(place.top).toBeCloseTo(950 / 1.2, 0);
    }
    const wide = { width: 1920, height: 800 };
    const flat = placeOf(bounds, disc, { shown: wide, stored: wide }, { width: 960, height: 400 });
    expect(flat.top + flat.height).toBeLessThanOrEqual(400);
  });

  it('never crosses the sides of the player', () => {
    const narrow = { width: 1080, height: 720 };
    const line = { left: 0, top: 600, width: 1280, height: 60 };
    const film = { shown: narrow, stored: narrow };
    const place = placeOf(line, { width: 1280, height: 720 }, film, { width: 1440, height: 860 });
    expect([place.left, place.width]).toEqual([0, 1440]);
    expect(place.height).toBeCloseTo(60 * 1.125);
  });

  it('stretches the pixels of a DVD with those of its film', () => {
    const dvd = { width: 720, height: 576 };
    const film = { shown: { width: 1024, height: 576 }, stored: dvd };
    const place = placeOf({ left: 0, top: 288, width: 720, height: 288 }, dvd, film, player);
    expect(place).toMatchObject({ left: 0, top: 450, width: 1600, height: 450 });
    // A film whose black bars were cut off has the columns of the disc, but fewer lines.
    const cut = { shown: { width: 1024, height: 432 }, stored: { width: 720, height: 432 } };
    const box = placeOf({ left: 0, top: 72, width: 720, height: 432 }, dvd, cut, player);
    expect(box.width).toBeCloseTo(1600);
    expect(box.height).toBeCloseTo(675);
    expect(box.top).toBeCloseTo(112.5);
  });
});
