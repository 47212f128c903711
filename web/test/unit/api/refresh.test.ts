import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Unreachable } from '../../../src/api/client';
import { Connection } from '../../../src/api/connection.svelte';
import type { LiveEvent, ScanEvent } from '../../../src/api/live.svelte';
import { QueryCache } from '../../../src/api/query.svelte';
import { Refresher } from '../../../src/api/refresh';

const scan = (status: ScanEvent['status'], added: number, library_id = 1): ScanEvent => ({
  library_id,
  status,
  job_id: 1,
  scanned: added,
  total: null,
  added,
  updated: 0,
  moved: 0,
  missing: 0,
  restored: 0,
  errors: [],
  errors_overflow: 0,
  started_at: null,
  finished_at: null,
  error: null,
});

const books = 'items:{"kind":"books","library":null}:0';
const audio = 'items:{"kind":"audio","library":null}:0';
const keys = ['libraries', 'home', books, audio, 'items:series:books:any', 'jobs::0', 'users'];

/** Pages that show one response per key, and the number of requests for each. */
async function shown() {
  const around = { visible: true, reachable: true };
  const cache = new QueryCache();
  const asked = new Map<string, number>();
  for (const key of keys) {
    const query = cache.get(key, async () => {
      asked.set(key, (asked.get(key) ?? 0) + 1);
      return key === 'libraries' ? { items: [{ id: 1, kinds: ['books'] }] } : {};
    });
    query.hold();
    await query.load(0);
  }
  const refresher = new Refresher(cache, {
    visible: () => around.visible,
    reachable: () => around.reachable,
  });
  let send!: (event: LiveEvent, before?: ScanEvent) => void;
  refresher.follow({ on: (listener) => ((send = listener as typeof send), () => {}) });
  const again = (key: string) => (asked.get(key) ?? 0) - 1;
  return {
    around,
    cache,
    refresher,
    again,
    say: (event: LiveEvent, before?: ScanEvent) => send(event, before),
  };
}

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

describe('the refresher', () => {
  it('refreshes the data that a scan changes once in five seconds', async () => {
    const { say, again } = await shown();
    for (let n = 1; n <= 60; n += 1) {
      say({ type: 'scan', data: scan('running', n) }, scan('running', n - 1));
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(again('home')).toBe(3);
    expect(again(books)).toBe(3);
    expect(again('libraries')).toBe(3);
    for (const other of [audio, 'items:series:books:any', 'jobs::0', 'users']) expect(again(other)).toBe(0);
  });

  it('sends nothing for a scan without changes', async () => {
    const { say, again } = await shown();
    for (let n = 0; n < 40; n += 1) {
      say({ type: 'scan', data: { ...scan('running', 5), scanned: n } }, scan('running', 5));
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(keys.map(again)).toEqual(keys.map(() => 0));
  });

  it('refreshes every list of the library when a scan ends', async () => {
    const { say, again } = await shown();
    say({ type: 'scan', data: scan('done', 5) }, scan('running', 5));
    await vi.advanceTimersByTimeAsync(300);
    expect(again('items:series:books:any')).toBe(1);
    expect(again(audio)).toBe(0);
  });

  it('waits in a hidden tab, and refreshes once when it is shown', async () => {
    const { say, again, around, refresher } = await shown();
    around.visible = false;
    for (let n = 1; n <= 60; n += 1) {
      say({ type: 'covers', data: { library_id: 1 } });
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(again('home')).toBe(0);
    around.visible = true;
    refresher.wake();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(again('home')).toBe(1);
  });

  it('does not abort a pending request: it repeats it afterwards', async () => {
    const { cache, refresher } = await shown();
    const answers: (() => void)[] = [];
    const slow = cache.get('history', () => new Promise<number>((done) => answers.push(() => done(1))));
    slow.hold();
    void slow.load(0);
    refresher.all();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(answers).toHaveLength(1);
    answers[0]!();
    await vi.advanceTimersByTimeAsync(6000);
    expect(answers).toHaveLength(2);
  });
});

describe('a displayed result', () => {
  it('stays without an error while the server is unavailable, and is requested after it returns', async () => {
    const answers = [async () => 1, () => Promise.reject(new Unreachable('away')), async () => 2];
    const cache = new QueryCache();
    const query = cache.get('home', () => answers.shift()!());
    query.hold();
    await query.load(0);
    await query.refetch();
    expect([query.data, query.error]).toEqual([1, undefined]);
    cache.renew();
    await vi.advanceTimersByTimeAsync(1);
    expect(query.data).toBe(2);
  });

  it('is not evicted', () => {
    const cache = new QueryCache(() => 0, 2);
    const held = cache.get('a', async () => 1);
    held.hold();
    for (const key of ['b', 'c', 'd']) cache.get(key, async () => 1);
    expect(cache.get('a', async () => 1)).toBe(held);
  });
});

describe('the connection', () => {
  function server() {
    const state = { up: true, visible: true };
    const probe = vi.fn(async () => state.up);
    const connection = new Connection({ probe, visible: () => state.visible });
    return { state, probe, connection };
  }

  it('is probed with growing pauses of at most thirty seconds', async () => {
    const { state, probe, connection } = server();
    state.up = false;
    expect(await connection.check()).toBe(false);
    expect([connection.lost, connection.seconds]).toEqual([true, 1]);
    await vi.advanceTimersByTimeAsync(60_500);
    expect(probe).toHaveBeenCalledTimes(7); // after 0, 1, 3, 7, 15, 30 and 60 seconds
    await vi.advanceTimersByTimeAsync(300_000);
    expect(probe).toHaveBeenCalledTimes(17);
  });

  it('reports the return once, whichever request detects it', async () => {
    const { state, probe, connection } = server();
    const back = vi.fn();
    connection.onback = back;
    state.up = false;
    await connection.check();
    connection.confirm();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(back).toHaveBeenCalledTimes(1);
    expect(probe).toHaveBeenCalledTimes(1);
    expect(connection.lost).toBe(false);
  });

  it('is not probed from a hidden tab', async () => {
    const { state, probe, connection } = server();
    state.up = false;
    await connection.check();
    state.visible = false;
    await vi.advanceTimersByTimeAsync(300_000);
    expect(probe).toHaveBeenCalledTimes(1);
    [state.up, state.visible] = [true, true];
    connection.wake();
    await vi.advanceTimersByTimeAsync(1);
    expect(connection.lost).toBe(false);
  });
});
