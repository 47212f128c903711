import { expect, test } from 'vitest';
import { languageOf } from '../../src/playback/decode/worker/contents';
import { mimeOf, type RawStream } from '../../src/playback/decode/worker/mime';

const stream = (
  type: RawStream['type'],
  codec: string,
  extradata: string,
  more: Partial<RawStream> = {},
): RawStream => ({
  ...{ index: 0, type, codec, extradata, language: '', title: '', pixelFormat: 'yuv420p' },
  ...{ decodable: 1, default: 0, forced: 0, profile: -99, level: -99, delay: 0 },
  ...{ width: 1920, height: 1080, rate: 24, sampleRate: 48_000, channels: 2 },
  ...more,
});

/** Headers from files, in the form of MP4 and with start codes. */
test.each([
  ['avc1.640028', stream('video', 'h264', '0164002cffe1'.replace('2c', '28'))],
  ['avc1.4D401F', stream('video', 'h264', '00000001674d401f96')],
  ['hvc1.2.4.L120.90', stream('video', 'hevc', '01022000000090000000000078f000')],
  ['hvc1.1.6.L93.B0', stream('video', 'hevc', '00000001420101016000000300b0000003000003005da002')],
  ['vp09.00.40.08', stream('video', 'vp9', '')],
  ['vp09.02.50.10', stream('video', 'vp9', '', { width: 3840, height: 2160, pixelFormat: 'yuv420p10le' })],
  ['av01.0.08M.08', stream('video', 'av1', '81080c00')],
  ['av01.0.13H.10', stream('video', 'av1', '810dcc00')],
  ['mp4a.40.2', stream('audio', 'aac', '1190')],
  ['mp4a.40.5', stream('audio', 'aac', '2b92')],
  ['mp4a.40.42', stream('audio', 'aac', 'f9480000')],
  ['mp4a.40.2', stream('audio', 'aac', '', { profile: 1 })],
  ['opus', stream('audio', 'opus', '4f707573')],
  ['flac', stream('audio', 'flac', '1000')],
])('%s', (codec, raw) => {
  expect(mimeOf(raw, 'mov')).toBe(`${raw.type}/mp4; codecs="${codec}"`);
});

test.each([
  stream('video', 'mpeg4', '000001b0'),
  stream('video', 'h264', '0164002cffe1', { delay: 2 }),
  stream('audio', 'ac3', ''),
  stream('audio', 'aac', '0990'),
  stream('audio', 'flac', '1000', { sampleRate: 192_000 }),
  stream('audio', 'opus', '4f707573', { channels: 9 }),
])('$codec cannot pass through', (raw) => {
  expect(mimeOf(raw, 'avi')).toBeNull();
});

test('MP3 has a lane without MP4', () => {
  expect(mimeOf(stream('audio', 'mp3', ''), 'mp3')).toBe('audio/mpeg');
});

test.each([
  ['ger', 'de'],
  ['deu', 'de'],
  ['eng', 'en'],
  ['pt_BR', 'pt-BR'],
  ['und', ''],
  ['', ''],
  ['nonsense language', ''],
])('language %j is %j', (written, tag) => {
  expect(languageOf(written)).toBe(tag);
});
