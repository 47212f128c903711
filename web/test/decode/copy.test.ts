import { afterAll, expect, test } from 'vitest';
import { Fixtures, frames, picture, probe, sound } from './ffmpeg';
import { laneBytes, play } from './play';
import { psnr } from './compare';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

/** Name, type of the lane, and options of the encoder. */
const FILMS: [string, string, ...string[]][] = [
  ['avc.mkv', 'avc1.64000D', '-c:v', 'libx264'],
  ['avc.ts', 'avc1.64000D', '-c:v', 'libx264'],
  ['base.avi', 'avc1.42C00D', '-c:v', 'libx264', '-profile:v', 'baseline'],
  ['hevc.mkv', 'hvc1.1.6.L60.90', '-c:v', 'libx265', '-x265-params', 'log-level=none'],
  ['hevc.ts', 'hvc1.1.6.L60.90', '-c:v', 'libx265', '-x265-params', 'log-level=none'],
  ['vp9.webm', 'vp09.00.20.08', '-c:v', 'libvpx-vp9', '-deadline', 'realtime'],
];

test.each(FILMS)('pictures of %s pass through as MP4', async (name, codec, ...options) => {
  const path = fixtures.make(name, ...picture('320x240', 3), ...options, '-g', '25');
  const played = await play(path, { video: 'copy', audio: null });
  expect(played.failure).toBeNull();
  expect(played.lanes.get('video')).toMatchObject({ mime: `video/mp4; codecs="${codec}"`, offset: 10 });
  const copied = fixtures.write(`${name}.mp4`, laneBytes(played, 'video'));
  const [stream] = probe(copied);
  expect(Number(stream?.nb_read_packets)).toBe(75);
  expect(Number(stream?.start_time)).toBeCloseTo(10, 0);
  expect(psnr(frames(copied, 'yuv420p', 75), frames(path, 'yuv420p', 75))).toBe(Number.POSITIVE_INFINITY);
});

const SOUNDS: [string, string, ...string[]][] = [
  ['tune.m4a', 'audio/mp4; codecs="mp4a.40.2"', '-c:a', 'aac'],
  ['tune.aac', 'audio/mp4; codecs="mp4a.40.2"', '-c:a', 'aac'],
  ['tune.ts', 'audio/mp4; codecs="mp4a.40.2"', '-c:a', 'aac'],
  ['tune.opus', 'audio/mp4; codecs="opus"', '-c:a', 'libopus'],
  ['tune.flac', 'audio/mp4; codecs="flac"', '-c:a', 'flac'],
  ['tune.mp3', 'audio/mpeg', '-c:a', 'libmp3lame'],
];

test.each(SOUNDS)('sound of %s passes through', async (name, mime, ...options) => {
  const path = fixtures.make(name, ...sound(2, 3), ...options);
  const played = await play(path, { audio: 'copy' });
  expect(played.failure).toBeNull();
  expect(played.lanes.get('audio')?.mime).toBe(mime);
  const copied = fixtures.write(`${name}.copy`, laneBytes(played, 'audio'));
  const [theirs] = probe(path);
  const [ours] = probe(copied);
  expect(ours?.codec_name).toBe(theirs?.codec_name);
  expect(Math.abs(Number(ours?.nb_read_packets) - Number(theirs?.nb_read_packets))).toBeLessThanOrEqual(1);
});

test('AVI with pictures out of order is decoded, because it has no times of display', async () => {
  const path = fixtures.make('order.avi', ...picture('320x240', 1), '-c:v', 'libx264', '-bf', '2');
  const { contents } = await play(path, { audio: null, clock: 0 });
  expect(contents?.streams[0]).toMatchObject({ codec: 'h264', mime: null, decodable: true });
});
