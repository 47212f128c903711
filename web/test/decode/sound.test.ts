import { afterAll, expect, test } from 'vitest';
import { difference } from './compare';
import { ffmpeg, Fixtures, probe, samples, sound } from './ffmpeg';
import { laneBytes, play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

/** Name, encoder, channels, rate, and further options. */
const SOUNDS: [string, string, number, number, ...string[]][] = [
  ['stereo.ac3', 'ac3', 2, 48_000],
  ['surround.ac3', 'ac3', 6, 48_000],
  ['surround.eac3', 'eac3', 6, 48_000],
  ['tune.m4a', 'alac', 2, 44_100],
  ['tune.wma', 'wmav2', 2, 44_100],
  ['tune.flac', 'flac', 2, 44_100],
  ['tune.ogg', 'libvorbis', 2, 44_100],
  ['tune.opus', 'libopus', 2, 48_000],
  ['tune.mp3', 'libmp3lame', 2, 44_100],
  ['tune.mp2', 'mp2', 2, 44_100],
  ['tune.tta', 'tta', 2, 44_100],
  ['tune.wv', 'wavpack', 2, 44_100],
  ['tune.aiff', 'pcm_s16be', 2, 44_100],
  ['speech.wav', 'pcm_mulaw', 1, 8000],
  ['speech.aac', 'aac', 1, 22_050],
  ['film.mka', 'dca', 6, 48_000, '-strict', '-2'],
  ['film.thd', 'truehd', 6, 48_000, '-strict', '-2'],
];

/** Largest difference of a sample. Both decoders round float sound, with another order of operations. */
const TOLERANCE = 3;

test.each(SOUNDS)('%s decodes as in ffmpeg', async (name, encoder, channels, rate, ...options) => {
  const path = fixtures.make(name, ...sound(channels, 2, rate), '-c:a', encoder, ...options);
  const played = await play(path);
  expect(played.failure).toBeNull();
  expect(played.hasEnded).toBe(true);
  expect(played.lanes.get('audio')).toMatchObject({ mime: 'audio/mp4; codecs="flac"', offset: 10 });
  const decoded = fixtures.write(`${name}.mp4`, laneBytes(played, 'audio'));
  const ours = samples(decoded);
  const { largest, overlap } = difference(ours, samples(path));
  expect(ours.length).toBeGreaterThan(rate * channels);
  expect(largest).toBeLessThanOrEqual(TOLERANCE);
  // The last block of some codecs is padded, which a container may say and the decoder does not.
  expect(overlap).toBeGreaterThan(0.97);
});

test('channels without a layout of FLAC are mixed, and rates above 96 kHz are halved', async () => {
  const path = fixtures.make('studio.wav', ...sound(2, 1, 192_000), '-c:a', 'pcm_s24le');
  const played = await play(path);
  const decoded = fixtures.write('studio.mp4', laneBytes(played, 'audio'));
  expect(probe(decoded)[0]).toMatchObject({
    codec_name: 'flac',
    sample_rate: '96000',
    channels: 2,
    bits_per_raw_sample: '16',
  });
});

test('the build for sound decodes the usual codecs', async () => {
  const path = fixtures.make('small.m4a', ...sound(2, 1, 44_100), '-c:a', 'alac');
  const played = await play(path, { build: 'sound' });
  const decoded = fixtures.write('small.mp4', laneBytes(played, 'audio'));
  expect(difference(samples(decoded), samples(path))).toEqual({ largest: 0, overlap: 1 });
});

test('a gap in the time stamps becomes silence', async () => {
  const whole = fixtures.make('whole.mka', ...sound(1, 4), '-c:a', 'pcm_s16le');
  const path = fixtures.path('gap.mka');
  ffmpeg('-i', whole, '-c', 'copy', '-bsf:a', "noise=drop='between(pts*tb,1,2)'", path);
  const played = await play(path);
  const ours = samples(fixtures.write('gap.mp4', laneBytes(played, 'audio')));
  expect(ours.length / 48_000).toBeCloseTo(4, 1);
  expect(Math.max(...ours.slice(48_000 * 1.2, 48_000 * 1.8))).toBe(0);
});
