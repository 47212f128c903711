import { afterAll, expect, test } from 'vitest';
import { Fixtures, picture, probe, sound } from './ffmpeg';
import { laneBytes, play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

const FILMS: [string, ...string[]][] = [
  ['film.mkv', '-c:v', 'libx264', '-c:a', 'ac3'],
  ['film.mp4', '-c:v', 'libx264', '-c:a', 'aac'],
  ['film.avi', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  ['film.wmv', '-c:v', 'wmv2', '-c:a', 'wmav2'],
  ['film.vob', '-c:v', 'mpeg2video', '-c:a', 'ac3'],
  ['film.ts', '-c:v', 'mpeg2video', '-c:a', 'mp2'],
  ['film.ogv', '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  ['film.flv', '-c:v', 'flv', '-c:a', 'libmp3lame', '-ar', '44100'],
];

test.each(FILMS)('a run in the middle of %s begins there', async (name, ...options) => {
  const path = fixtures.make(name, ...picture('320x240', 12), ...sound(2, 12), '-g', '50', ...options);
  const played = await play(path, { at: 7.3, clock: 7.3 });
  expect(played.failure).toBeNull();
  expect(played.pictures[0]?.time).toBeGreaterThan(7.2);
  expect(played.pictures[0]?.time).toBeLessThan(7.6);
  const heard = Number(probe(fixtures.write(`${name}.mp4`, laneBytes(played, 'audio')))[0]?.start_time) - 10;
  expect(heard).toBeGreaterThan(6.8);
  expect(heard).toBeLessThan(7.4);
});

test('the first run and one from the start again yield the same', async () => {
  const path = fixtures.make(
    'again.mkv',
    ...picture('320x240', 2),
    ...sound(2, 2),
    '-c:v',
    'mpeg4',
    '-c:a',
    'ac3',
  );
  const played = await play(path, { clock: 0, again: true });
  const times = played.pictures.map(({ time }) => time.toFixed(3));
  expect(times.slice(0, 50)).toEqual(times.slice(50));
});
