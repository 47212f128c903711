import { afterAll, expect, test } from 'vitest';
import type { FromWorker } from '../../src/playback/decode/protocol';
import { Film } from '../../src/playback/decode/worker/film';
import type { Exports } from '../../src/playback/decode/worker/module';
import { BLOCK, PIECE } from '../../src/playback/decode/worker/reader';
import { Run } from '../../src/playback/decode/worker/run';
import type { Transport } from '../../src/playback/decode/worker/transport';
import { Fixtures, picture, probe, sound } from './ffmpeg';
import { compile, FileTransport, laneBytes, play } from './play';

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

const RATE = 25;
const AT = 9;

test('a seek far behind a key picture yields and counts pictures from its target on', async () => {
  // The only key picture is the first one: 225 pictures precede the target.
  const options = ['-c:v', 'mpeg4', '-g', '300', '-bf', '0'];
  const path = fixtures.make('film.mkv', ...picture('160x120', 10, RATE), ...options);
  const times: number[] = [];
  /** Counters when the first picture arrives. */
  let before = { busy: -1, pictures: -1 };
  const post = (message: FromWorker) => {
    if (message.kind !== 'picture') return;
    if (times.length === 0) before = { busy: film.busy, pictures: film.pictures };
    times.push(message.picture.time);
    run.setClock({ time: message.picture.time, waiting: 0, hidden: false });
  };
  const surroundings = {
    ...{ transport: () => new FileTransport(path), compile, post },
    breathe: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const film = new Film(surroundings, '');
  await film.open('full', path);
  const start = { kind: 'start', run: 1, at: AT, audio: null, subtitles: [] } as const;
  const run = new Run(film, { ...start, video: { stream: 0, method: 'decode' } }, surroundings);
  await run.play();
  expect(Math.min(...times)).toBeGreaterThan(AT - 1 / RATE);
  expect(times.length).toBe(RATE);
  expect(before).toEqual({ busy: 0, pictures: 0 });
  expect(film.pictures).toBeLessThan(times.length);
  expect(film.busy).toBeGreaterThan(0);
});

/** Pictures from one key picture to the next. */
const GROUP = 12;

/** Records the ranges of requests that block the decoder. */
class Recording implements Transport {
  readonly blocking: [number, number][] = [];
  readonly #inner: FileTransport;

  constructor(path: string) {
    this.#inner = new FileTransport(path);
  }
  now(start: number, end: number) {
    this.blocking.push([start, end]);
    return this.#inner.now(start, end);
  }
  later = (start: number, end: number) => this.#inner.later(start, end);
}

/** Seeks in a film, and returns the effort until its first picture. */
async function effortOf(path: string, at: number) {
  const transport = new Recording(path);
  const times: number[] = [];
  let decoded = 0;
  let blocking: [number, number][] = [];
  const post = (message: FromWorker) => {
    if (message.kind !== 'picture') return;
    if (times.length === 0) blocking = [...transport.blocking];
    times.push(message.picture.time);
    run.close();
  };
  const surroundings = {
    ...{ transport: () => transport, compile, post },
    breathe: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
  const film = new Film(surroundings, '');
  await film.open('full', path);
  const call = film.call.bind(film);
  film.call = <Result>(work: (calls: Exports) => Result) =>
    call((calls) => {
      const decode = () => {
        decoded += times.length === 0 ? 1 : 0;
        return calls.decode();
      };
      return work({ ...calls, decode });
    });
  transport.blocking.length = 0;
  const [video, audio] = [0, 1].map((stream) => ({ stream, method: 'decode' }) as const);
  const start = { kind: 'start', run: 1, at, subtitles: [], video: video ?? null, audio: audio ?? null };
  const run = new Run(film, start as ConstructorParameters<typeof Run>[1], surroundings);
  await run.play();
  return { first: times[0] ?? Number.NaN, decoded, blocking };
}

test.each([
  ['film.vob', '-c:a', 'ac3'],
  ['film.ts', '-c:a', 'mp2'],
])(
  'a seek in %s decodes little more than the pictures since the last key picture',
  async (name, ...options) => {
    const codec = ['-c:v', 'mpeg2video', '-b:v', '5M', '-g', String(GROUP), '-bf', '2'];
    const path = fixtures.make(name, ...picture('320x240', 30, RATE), ...sound(2, 30), ...codec, ...options);
    for (const at of [7.3, 21.98]) {
      const { first, decoded } = await effortOf(path, at);
      expect(Math.abs(first - at)).toBeLessThan(1 / RATE);
      // A decoder returns a picture a few packets later.
      expect(decoded).toBeLessThan(GROUP + 8);
    }
  },
);

test('a jump of a search by time reads a small part, and blocks follow only where it ends', async () => {
  const codec = ['-c:v', 'mpeg2video', '-b:v', '8M', '-minrate', '8M', '-maxrate', '8M', '-bufsize', '1M'];
  const path = fixtures.make(
    'large.vob',
    ...picture('640x480', 40, RATE),
    ...sound(2, 40),
    ...codec,
    ...['-g', String(GROUP), '-c:a', 'ac3'],
  );
  const { blocking } = await effortOf(path, 21);
  const [jump] = blocking;
  expect(jump && jump[1] - jump[0]).toBe(PIECE);
  const blocks = blocking.filter(([start, end]) => end - start === BLOCK).map(([start]) => start);
  expect(blocks.length).toBeGreaterThan(0);
  // On a busy machine, the decoder also waits for a few blocks that are otherwise read ahead of it.
  expect(blocks.length).toBeLessThan(8);
  expect(Math.max(...blocks) - Math.min(...blocks)).toBeLessThanOrEqual(blocks.length * BLOCK);
}, 60_000);
