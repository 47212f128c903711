import { afterAll, expect, test, vi } from 'vitest';
import { Decoder } from '../../src/playback/decode/worker/decoder';
import type { FromWorker } from '../../src/playback/decode/protocol';
import { Fixtures, picture, sound } from './ffmpeg';
import { compile, FileTransport } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

const film = () =>
  fixtures.make(
    'film.mkv',
    ...picture('160x120', 40, 10),
    ...sound(1, 40),
    '-c:v',
    'mpeg4',
    '-g',
    '10',
    '-c:a',
    'ac3',
  );

/** A page that controls the clock itself. */
async function page(path: string) {
  const messages: FromWorker[] = [];
  const decoder = new Decoder({
    transport: () => new FileTransport(path),
    compile,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    post: (message) => void messages.push(message),
  });
  await decoder.receive({ kind: 'open', url: '', wasm: 'full', name: path });
  const run = (number: number, at = 0, hasSound = true) =>
    void decoder.receive({
      ...{ kind: 'start', run: number, at, subtitles: [] },
      video: { stream: 0, method: 'decode' },
      audio: hasSound ? { stream: 1, method: 'decode' } : null,
    });
  const clock = (time: number, waiting: number, hidden = false, number = 1) =>
    void decoder.receive({ kind: 'clock', run: number, time, waiting, hidden });
  const pictures = () => messages.flatMap((one) => (one.kind === 'picture' ? [one.picture.time] : []));
  const sounds = () => messages.filter((one) => one.kind === 'bytes').length;
  const close = () => void decoder.receive({ kind: 'close' });
  return { messages, run, clock, pictures, sounds, close };
}

/** Waits until no message arrives for a while. */
async function settled(messages: readonly FromWorker[]): Promise<void> {
  for (let before = -1; before !== messages.length;) {
    before = messages.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

test('24 pictures and 20 seconds of sound are the most that waits', async () => {
  const { messages, run, clock, pictures, sounds, close } = await page(film());
  run(1);
  await settled(messages);
  expect(pictures().length).toBe(24);
  const heard = sounds();
  // Half a second in each message.
  expect(heard / 2).toBeGreaterThan(15);
  expect(heard / 2).toBeLessThan(23);
  clock(2, 4);
  await settled(messages);
  expect(pictures().length).toBe(44);
  expect(sounds()).toBeGreaterThan(heard);
  close();
});

test('a hidden page gets sound, and afterwards pictures of the current time', async () => {
  const { messages, run, clock, pictures, sounds, close } = await page(film());
  run(1);
  clock(0, 0, true);
  await settled(messages);
  clock(12, 0, true);
  await settled(messages);
  const seen = pictures().length;
  expect(sounds() / 2).toBeGreaterThan(25);
  clock(12, 0, false);
  await vi.waitUntil(() => pictures().length > seen, 5000);
  await settled(messages);
  const [first = 0] = pictures().slice(seen);
  expect(first).toBeGreaterThan(10.5);
  expect(first).toBeLessThanOrEqual(12);
  close();
});

test('a hidden film without sound ends after its pictures, not before', async () => {
  const path = fixtures.make('silent.avi', ...picture('160x120', 4, 10), '-c:v', 'mpeg4', '-g', '10');
  const { messages, run, clock, pictures, close } = await page(path);
  run(1, 0, false);
  clock(0, 24, true);
  await settled(messages);
  expect(messages.some(({ kind }) => kind === 'end')).toBe(false);
  const hasEnded = () => messages.some(({ kind }) => kind === 'end');
  await vi.waitUntil(() => (clock(1, 0, false), hasEnded()), 5000);
  expect(Math.max(...pictures())).toBeGreaterThan(3.8);
  close();
});

test('a new run replaces the old one', async () => {
  const { messages, run, pictures, close } = await page(film());
  run(1);
  await vi.waitUntil(() => pictures().length > 3, 5000);
  run(2, 30);
  const before = messages.length;
  await settled(messages);
  const later = messages.slice(before);
  expect(later.every((one) => !('run' in one) || one.run === 2)).toBe(true);
  expect(later.find((one) => one.kind === 'picture')).toMatchObject({ run: 2 });
  close();
});
