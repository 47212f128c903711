import { readFileSync } from 'node:fs';
import { afterAll, expect, test, vi } from 'vitest';
import { BLOCK, Reader } from '../../src/playback/decode/worker/reader';
import { refused, type Answer, type Transport } from '../../src/playback/decode/worker/transport';
import { difference } from './compare';
import { Fixtures, picture, samples, sound } from './ffmpeg';
import { BytesTransport, laneBytes, play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

/** A server that gives other answers to some requests, counted from one. */
class Interrupted implements Transport {
  requests = 0;

  constructor(
    private readonly inner: Transport,
    private readonly answer: (request: number, start: number) => Answer | null,
  ) {}

  now(start: number, end: number): Answer {
    this.requests += 1;
    return this.answer(this.requests, start) ?? this.inner.now(start, end);
  }

  later(start: number, end: number): Promise<Answer> {
    return Promise.resolve(this.now(start, end));
  }
}

function film(): Uint8Array {
  // Large enough for several blocks.
  const options = ['-c:v', 'mjpeg', '-q:v', '2', '-c:a', 'ac3'];
  return new Uint8Array(
    readFileSync(fixtures.make('film.mkv', ...picture('640x480', 4), ...sound(2, 4), ...options)),
  );
}

test('after an interruption, sound and pictures continue without gap or repetition', async () => {
  const bytes = film();
  const whole = await play(new BytesTransport(bytes), { clock: 0 });
  // Every block after the first fails three times: in the background, and when it is needed.
  const tries = new Map<number, number>();
  const server = new Interrupted(new BytesTransport(bytes), (_, start) => {
    tries.set(start, (tries.get(start) ?? 0) + 1);
    return start > 0 && (tries.get(start) ?? 0) <= 3 ? { kind: 'unreachable' } : null;
  });
  const played = await play(server, { clock: 0 });
  expect(played.hasEnded).toBe(true);
  const kinds = played.messages.map(({ kind }) => kind);
  expect(kinds).toContain('stalled');
  expect(kinds).toContain('resumed');
  expect(played.pictures.map(({ time }) => time)).toEqual(whole.pictures.map(({ time }) => time));
  const [one, other] = [whole, played].map((each, index) =>
    samples(fixtures.write(`${index}.mp4`, laneBytes(each, 'audio'))),
  );
  expect(one && other && difference(one, other).overlap).toBe(1);
  expect(one && other && difference(one, other).largest).toBeLessThanOrEqual(3);
}, 60_000);

test.each([
  [401, 'session'],
  [404, 'missing'],
  [416, 'changed'],
  [412, 'changed'],
])('status %i is the failure %s', async (status, reason) => {
  const server = new Interrupted(new BytesTransport(film()), (request) =>
    request > 2 ? refused(status) : null,
  );
  expect((await play(server, { clock: 0 })).failure?.reason).toBe(reason);
});

test('a file without bytes is empty, not changed', async () => {
  const server = new Interrupted(new BytesTransport(film()), () => refused(416));
  expect((await play(server)).failure).toMatchObject({ reason: 'empty', detail: 'the file has no bytes' });
});

test('waits for the server are announced, in pairs', async () => {
  const waiting = (await play(new BytesTransport(film()), { clock: 0 })).messages.flatMap((message) =>
    message.kind === 'fetching' ? [message.isFetching] : [],
  );
  expect(waiting.length).toBeGreaterThan(1);
  expect(waiting).toEqual(waiting.map((_, at) => at % 2 === 0));
});

test('a block ahead that does not arrive is requested again only when it is needed', async () => {
  const tries = new Map<number, number>();
  const server = new Interrupted(new BytesTransport(film()), (_, start) => {
    tries.set(start, (tries.get(start) ?? 0) + 1);
    return start >= 2 * BLOCK ? refused(503) : null;
  });
  const reader = new Reader(server);
  for (let times = 0; times < 50; times += 1) {
    await reader.prepare();
    await Promise.resolve();
  }
  expect([...tries]).toEqual([
    [0, 1],
    [BLOCK, 1],
    [2 * BLOCK, 1],
  ]);
});

/** Lets the machine sleep for an hour at some reading of the clock. */
function sleepAt(reading: number): void {
  const real = performance.now.bind(performance);
  let readings = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    readings += 1;
    return real() + (readings > reading ? 3_600_000 : 0);
  });
}

test.each([3, 10, 30, 60, 100, 150, 200])(
  'a sleep at reading %i of the clock is no damage',
  async (reading) => {
    const bytes = film();
    sleepAt(reading);
    try {
      const played = await play(new BytesTransport(bytes), { clock: 0 });
      expect(played.failure).toBeNull();
      expect(played.hasEnded).toBe(true);
      const busy = played.messages.flatMap((message) =>
        message.kind === 'statistics' ? [message.busy] : [],
      );
      expect(Math.max(0, ...busy)).toBeLessThan(60);
    } finally {
      vi.restoreAllMocks();
    }
  },
);

test.each([0, 408, 429, 500, 503])('status %i is repeated', (status) => {
  expect(refused(status)).toEqual({ kind: 'unreachable' });
});

test.each([
  ['tag', { tag: 'other' }],
  ['size', { size: 1_000_000 }],
])('another %s is a changed file', async (_, change) => {
  const inner = new BytesTransport(film());
  const server: Transport = {
    now: (start, end) => {
      const answer = inner.now(start, end);
      return start > 0 && answer.kind === 'bytes' ? { ...answer, ...change } : answer;
    },
    later: (start, end) => Promise.resolve(server.now(start, end)),
  };
  expect((await play(server)).failure?.reason).toBe('changed');
});
