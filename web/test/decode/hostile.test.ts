import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Fixtures, picture, sound } from './ffmpeg';
import { BytesTransport, play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

/** Mutants of each file. `LEDGE_MUTANTS` asks for more. */
const MUTANTS = Number(process.env.LEDGE_MUTANTS ?? 25);
/** Milliseconds that a mutant of two seconds may take. */
const LIMIT = 15_000;

/** Returns numbers below 1 that only depend on the seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Returns a damaged copy: bytes replaced, more of them in the headers, or a part cut out. */
function mutant(original: Uint8Array, seed: number): Uint8Array {
  const random = randomOf(seed);
  const copy = original.slice();
  const reach = random() < 0.5 ? Math.min(copy.length, 4096) : copy.length;
  for (let left = 1 + Math.floor(random() * 40); left > 0; left--)
    copy[Math.floor(random() * reach)] = random() < 0.3 ? 255 : Math.floor(random() * 256);
  if (random() > 0.2) return copy;
  const at = Math.floor(random() * copy.length);
  return Buffer.concat([copy.subarray(0, at), copy.subarray(at + Math.floor(random() * 2000))]);
}

const FILES: [string, ...string[]][] = [
  ['film.mkv', '-c:v', 'libx264', '-c:a', 'ac3'],
  ['film.mp4', '-c:v', 'libx264', '-c:a', 'aac'],
  ['film.avi', '-c:v', 'mpeg4', '-c:a', 'libmp3lame'],
  ['film.wmv', '-c:v', 'wmv2', '-c:a', 'wmav2'],
  ['film.ts', '-c:v', 'mpeg2video', '-c:a', 'mp2'],
  ['film.webm', '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-c:a', 'libopus'],
  ['film.ogv', '-c:v', 'libtheora', '-c:a', 'libvorbis'],
  ['film.hevc.mkv', '-c:v', 'libx265', '-x265-params', 'log-level=none', '-c:a', 'eac3'],
];

test.each(FILES)(
  'mutants of %s end, and none crashes',
  async (name, ...options) => {
    const path = fixtures.make(name, ...picture('160x120', 1, 10), ...sound(2, 1), ...options);
    const original = new Uint8Array(readFileSync(path));
    for (let seed = 1; seed <= MUTANTS; seed++) {
      const before = performance.now();
      const played = await play(new BytesTransport(mutant(original, seed)), { at: seed % 3 === 0 ? 0.5 : 0 });
      expect(played.failure?.reason, `seed ${seed}: ${played.failure?.detail}`).not.toBe('crashed');
      expect(played.hasEnded || played.failure !== null, `seed ${seed}`).toBe(true);
      expect(performance.now() - before, `seed ${seed}`).toBeLessThan(LIMIT);
    }
  },
  600_000,
);

test('arbitrary bytes are of no known format', async () => {
  const random = randomOf(1);
  const played = await play(new BytesTransport(Uint8Array.from({ length: 100_000 }, () => random() * 256)));
  expect(played.failure?.reason).toBe('unsupported');
});

test('an empty file and one of a header only fail', async () => {
  const path = fixtures.make(
    'whole.mp4',
    ...picture('160x120', 1),
    '-c:v',
    'mpeg4',
    '-movflags',
    'faststart',
  );
  const bytes = new Uint8Array(readFileSync(path));
  expect((await play(new BytesTransport(new Uint8Array(0)))).failure).not.toBeNull();
  expect((await play(new BytesTransport(bytes.slice(0, 600)))).failure?.reason).toBe('damaged');
});
