/** The table of playback modes: facts of a file, answers of a browser and limits of a device. */
import { describe, expect, it } from 'vitest';
import {
  decide,
  slowness,
  wayAfter,
  waysOf,
  type Decision,
  type Supports,
  type Wish,
} from '../../src/playback/decode/decision';
import type { Facts } from '../../src/playback/decode/native';

const chromium: Supports = {
  decoder: true,
  plays: (type) => !/hvc1|ac-3|ec-3|alac|aiff|caf|ac3|amr/.test(type),
  appends: (type) => !/hvc1|ac-3|ec-3|alac/.test(type),
};
const safari: Supports = {
  decoder: true,
  plays: (type) => !/matroska|ogg/.test(type),
  appends: (type) => !/webm/.test(type),
};
/** It declares Matroska, but plays neither MP3, FLAC nor PCM in it. */
const firefox: Supports = {
  decoder: true,
  plays: (type) => !/ac-3|ec-3|alac|matroska.*(flac|mp3)/.test(type),
  appends: (type) => !/ac-3|ec-3|alac|audio.mpeg/.test(type),
};
/** A browser without media source extensions. */
const old: Supports = { ...chromium, decoder: false };

const device = { speeds: {} };
const slow = { speeds: { hevc: 20_000_000, mpeg4: 500_000_000 } };

function film(container: string | null, vcodec: string | null, ...acodecs: string[]): Facts {
  const sound = acodecs.map((codec, at) => ({ type: 'audio', codec, default: at === 0 }));
  return {
    container,
    vcodec,
    acodec: acodecs[0] ?? null,
    width: vcodec ? 1920 : null,
    height: vcodec ? 1080 : null,
    streams: [...(vcodec ? [{ type: 'video', codec: vcodec, default: true }] : []), ...sound],
  };
}

/** A decision in one line: the way, `audio` if only the sound plays or can play, and the reason. */
function short({ way, audioOnly, reason }: Decision): string {
  const why = 'name' in reason ? `${reason.kind}:${reason.name}` : reason.kind;
  return [way, ...(audioOnly ? ['audio'] : []), why].join(' ');
}

type Row = [facts: Facts, supports: Supports, expected: string, more?: { wish?: Partial<Wish>; slow?: true }];

const table: Row[] = [
  [film('mp4', 'h264', 'aac'), chromium, 'native plays'],
  [film('mp4', 'h264'), chromium, 'native plays'],
  [film('webm', 'vp9', 'opus'), chromium, 'native plays'],
  [film('mp3', null, 'mp3'), chromium, 'native audio plays'],
  [film('flac', null, 'flac'), chromium, 'native audio plays'],
  [film(null, null), chromium, 'native audio plays'],
  // The browser plays these silently, or without a picture, and reports no error.
  [film('matroska', 'h264', 'ac3'), chromium, 'transmux acodec:ac3'],
  [film('mp4', 'h264', 'dts'), chromium, 'transmux acodec:dts'],
  [film('ogg', 'theora', 'vorbis'), chromium, 'decode vcodec:theora'],
  [film('mp4', 'prores', 'pcm_s16le'), chromium, 'decode vcodec:prores'],
  [film('matroska', 'h264', 'aac', 'ac3'), chromium, 'native plays'],
  [film('matroska', 'h264', 'aac', 'ac3'), chromium, 'transmux acodec:ac3', { wish: { audio: 1 } }],
  [film('matroska', 'h264', 'aac', 'aac'), chromium, 'transmux track:1', { wish: { audio: 1 } }],
  [film('avi', 'mpeg4', 'mp3'), chromium, 'decode container:avi'],
  [film('avi', 'h264', 'mp3'), chromium, 'transmux container:avi'],
  [film('mpegts', 'h264', 'ac3'), chromium, 'transmux container:mpegts'],
  [film('mpegps', 'mpeg2video', 'ac3'), chromium, 'decode container:mpegps'],
  [film('matroska', 'hevc', 'aac'), chromium, 'decode vcodec:hevc'],
  [film('mp4', null, 'alac'), chromium, 'decode audio acodec:alac'],
  [film('asf', null, 'wmav2'), chromium, 'decode audio container:asf'],
  [film('ac3', null, 'ac3'), chromium, 'decode audio container:ac3'],
  // Other browsers have other gaps.
  [film('matroska', 'h264', 'aac'), safari, 'transmux container:matroska'],
  [film('matroska', 'hevc', 'eac3'), safari, 'transmux container:matroska'],
  [film('mp4', 'hevc', 'eac3'), safari, 'native plays'],
  [film('mp4', null, 'alac'), safari, 'native audio plays'],
  [film('ogg', null, 'vorbis'), safari, 'decode audio container:ogg'],
  [film('aiff', null, 'pcm_s16be'), safari, 'native audio plays'],
  [film('caf', null, 'alac'), safari, 'native audio plays'],
  [film('ac3', null, 'ac3'), safari, 'native audio plays'],
  [film('amr', null, 'amr_nb'), safari, 'native audio plays'],
  [film('caf', null, 'qdm2'), safari, 'decode audio acodec:qdm2'],
  [film('aiff', null, 'pcm_s16be'), chromium, 'decode audio container:aiff'],
  [film('amr', null, 'amr_nb'), chromium, 'decode audio container:amr'],
  [film('mp4', null, 'pcm_s16be'), chromium, 'decode audio acodec:pcm_s16be'],
  [film('matroska', 'h264', 'aac'), firefox, 'native plays'],
  [film('matroska', 'hevc', 'opus'), firefox, 'native plays'],
  [film('matroska', 'h264', 'flac'), firefox, 'transmux acodec:flac'],
  [film('matroska', 'h264', 'mp3'), firefox, 'transmux acodec:mp3'],
  [film('matroska', 'h264', 'pcm_s16le'), firefox, 'transmux acodec:pcm_s16le'],
  [film('matroska', 'h264', 'pcm_s16le'), chromium, 'native plays'],
  [film('matroska', null, 'flac'), firefox, 'decode audio acodec:flac'],
  [film('mp4', 'h264', 'pcm_s16le'), firefox, 'transmux acodec:pcm_s16le'],
  [film('mp4', 'h264', 'pcm_s16le'), chromium, 'native plays'],
  [film('mp4', 'h264', 'flac'), firefox, 'native plays'],
  [film('mp3', null, 'mp3'), firefox, 'native audio plays'],
  [film('wav', null, 'pcm_s16le'), firefox, 'native audio plays'],
  // Nothing decodes these.
  [film('mp4', 'vvc', 'aac'), chromium, 'no audio vcodec:vvc'],
  [film('mp4', 'vvc', 'aac'), chromium, 'decode audio chosen', { wish: { audioOnly: true } }],
  [film('mp4', 'vvc'), chromium, 'no vcodec:vvc'],
  [film('mp4', null, 'ac4'), chromium, 'no acodec:ac4'],
  [film('mp4', 'h264', 'ac4'), chromium, 'transmux acodec:ac4'],
  // 1080p at 24 pictures per second are 50 million pixels.
  [film('matroska', 'hevc', 'aac'), chromium, 'no audio device', { slow: true }],
  [film('matroska', 'hevc'), chromium, 'no device', { slow: true }],
  [film('avi', 'mpeg4', 'mp3'), chromium, 'decode container:avi', { slow: true }],
  [film('matroska', 'hevc', 'aac'), safari, 'transmux container:matroska', { slow: true }],
  [film('matroska', 'hevc', 'aac'), chromium, 'decode chosen', { slow: true, wish: { way: 'decode' } }],
  [
    film('matroska', 'hevc', 'aac'),
    chromium,
    'decode audio chosen',
    { slow: true, wish: { audioOnly: true } },
  ],
  // The user selects a way; one that does not exist is ignored.
  [film('mp4', 'h264', 'aac'), chromium, 'transmux chosen', { wish: { way: 'transmux' } }],
  [film('mp4', 'h264', 'aac'), chromium, 'decode audio chosen', { wish: { audioOnly: true } }],
  [film('avi', 'mpeg4', 'mp3'), chromium, 'decode container:avi', { wish: { way: 'transmux' } }],
  [film('mp4', 'h264', 'aac'), chromium, 'decode audio chosen', { wish: { way: 'native', audioOnly: true } }],
  // Without a decoder the element gets its chance.
  [film('avi', 'mpeg4', 'mp3'), old, 'native container:avi'],
  [film('mp4', 'h264', 'ac3'), old, 'native acodec:ac3'],
  [film('mp4', 'h264', 'aac'), old, 'no audio chosen', { wish: { audioOnly: true } }],
];

describe('decision', () => {
  it.each(table)('%j', (facts, supports, expected, more = {}) => {
    const wish = { audio: null, ...more.wish };
    expect(short(decide(facts, supports, more.slow ? slow : device, wish))).toBe(expected);
  });

  it('limit_of_device_is_reported_in_numbers', () => {
    const { reason } = decide(film('matroska', 'hevc', 'aac'), chromium, slow, { audio: null });
    expect(reason).toEqual({ kind: 'device', codec: 'hevc', needed: 1920 * 1080 * 24, possible: 20_000_000 });
  });

  it('default_track_is_the_one_that_must_be_playable', () => {
    const facts = film('matroska', 'h264', 'ac3', 'aac');
    const second = facts.streams.map((one) => ({ ...one, default: one.codec === 'aac' }));
    expect(short(decide({ ...facts, streams: second }, chromium, device, { audio: null }))).toBe(
      'transmux track:1',
    );
  });

  it('ways_are_listed_fastest_first_and_failures_lead_to_the_next', () => {
    const facts = film('mp4', 'h264', 'aac');
    expect(waysOf(facts, chromium)).toEqual(['native', 'transmux', 'decode']);
    expect(waysOf(film('avi', 'mpeg4'), chromium)).toEqual(['native', 'decode']);
    expect(waysOf(facts, old)).toEqual(['native']);
    expect(wayAfter('native', facts, chromium)).toBe('transmux');
    expect(wayAfter('transmux', facts, chromium)).toBe('decode');
    expect(wayAfter('decode', facts, chromium)).toBeNull();
    expect(wayAfter('no', facts, chromium)).toBeNull();
  });
});

it('a film that the device decodes almost fast enough plays also at the next visit', () => {
  const needed = 640 * 360 * 24;
  const at = (share: number) =>
    slowness(
      { ...film('avi', 'mpeg4', 'mp3'), width: 640, height: 360 },
      { speeds: { mpeg4: needed * share } },
    );
  expect(at(0.9)).toBeNull();
  expect(at(0.8)).toMatchObject({ needed });
});

describe('a film with picture subtitles', () => {
  const wish = { audio: null, subtitles: true };

  it.each([
    ['is repackaged if it would be native', film('matroska', 'h264', 'aac'), chromium, 'transmux subtitles'],
    [
      'is decoded if it cannot be repackaged',
      film('matroska', 'vp8', 'vorbis'),
      chromium,
      'decode subtitles',
    ],
    ['stays native without a decoder', film('matroska', 'h264', 'aac'), old, 'native plays'],
    [
      'keeps its way if the page reads it already',
      film('avi', 'mpeg4', 'mp3'),
      chromium,
      'decode container:avi',
    ],
  ] as const)('%s', (_, facts, supports, expected) => {
    expect(short(decide(facts, supports, device, wish))).toBe(expected);
  });

  it('plays without them rather than too slowly', () => {
    const limits = { speeds: { vp8: 1_000_000 } };
    expect(short(decide(film('webm', 'vp8', 'vorbis'), chromium, limits, wish))).toBe('native plays');
  });
});
