import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable, type ProgressWrite } from '../../../src/api/client';
import type { Item, ProgressRow } from '../../../src/api/models';
import { ManualProgress } from '../../../src/progress/manual';
import { ProgressStore } from '../../../src/progress/progress-store.svelte';

type Sent = ProgressWrite & { item: number; keepalive: boolean };

/** A server that stores positions or fails on command, and the storage of a device. */
function device() {
  const sent: Sent[] = [];
  const kept = new Map<string, string>();
  let fault: Error | null = null;
  const api = {
    now: () => Date.now(),
    asked: [] as string[],
    resetProgress: async (item: number): Promise<undefined> => {
      api.asked.push(`reset ${item}`);
    },
    restoreProgress: async (item: number, entry: number): Promise<ProgressRow> => {
      api.asked.push(`restore ${item} ${entry}`);
      return restored();
    },
    writeProgress: async (item: number, body: ProgressWrite, keepalive = false): Promise<ProgressRow> => {
      sent.push({ ...body, item, keepalive });
      if (fault) throw fault;
      return {
        ...body,
        locator: body.locator ?? null,
        extent: null,
        fraction: null,
        updated_at: new Date().toISOString(),
      };
    },
  };
  const cache = { expire: vi.fn(), markStale: vi.fn() };
  const shelf = {
    get: (name: string) => kept.get(name) ?? null,
    set: (n: string, v: string) => void kept.set(n, v),
  };
  const start = (user = 1) => {
    const progressStore = new ProgressStore(api, cache, shelf);
    progressStore.setUser(user);
    return progressStore;
  };
  return { sent, kept, api, cache, start, fail: (error: Error | null) => (fault = error) };
}

/** An earlier position that the server restored. */
const restored = (): ProgressRow => ({
  file_id: 70,
  position: 61,
  finished: false,
  locator: null,
  extent: 100,
  fraction: 0.61,
  updated_at: new Date().toISOString(),
});

const item = { id: 7 };
const file = { id: 70, extent: 100, progress: null };
const positions = (sent: Sent[]) => sent.map((write) => write.position);

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z') });
  vi.stubGlobal('window', globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('Places', () => {
  it('sends the first place at once and then at most one in five seconds, the newest', async () => {
    const { sent, start } = device();
    const progressStore = start();
    for (let second = 1; second <= 12; second += 1) {
      progressStore.note(item, file, { position: second });
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(positions(sent)).toEqual([1, 5, 10]);
  });

  it('sends another line of the same section, and nothing for the same line', async () => {
    const { sent, start } = device();
    const progressStore = start();
    for (const locator of ['a', 'b', 'b']) {
      progressStore.note(item, file, { position: 3, locator });
      progressStore.settle();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(sent.map((write) => write.locator)).toEqual(['a', 'b']);
    expect(progressStore.of(file)?.locator).toBe('b');
    expect(start().of({ ...file, progress: null })?.locator).toBeUndefined();
  });

  it('sends what it held back when playing stops, once', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3 });
    await vi.advanceTimersByTimeAsync(10);
    progressStore.note(item, file, { position: 4.9 });
    progressStore.settle();
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(positions(sent)).toEqual([3, 4]);
  });

  it('asks for a request that outlives the page when the page goes', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3 });
    progressStore.settle({ keepalive: true });
    expect(sent).toMatchObject([{ item: 7, file_id: 70, position: 3, finished: false, keepalive: true }]);
  });

  it('says when each place was reached, each later than the one before', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 99 });
    progressStore.settle();
    progressStore.note(item, file, { position: 100, finished: true });
    progressStore.settle();
    const moments = sent.map((write) => write.recorded_at ?? '');
    expect(moments[0]).toBe('2026-11-21T12:00:00.000000Z');
    expect(moments[1]! > moments[0]!).toBe(true);
  });

  it('takes no place for one that is no number', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: Number.NaN, finished: true });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    expect(progressStore.of(file)).toBeNull();
  });

  it('sends no finer place than the server keeps', () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3, finished: true, locator: `epubcfi(${'é'.repeat(600)})` });
    progressStore.settle();
    expect(sent).toMatchObject([{ position: 3, finished: true, locator: null }]);
  });

  it('has what shows progress fetched again: at once when playing stops, else when it is next wanted', async () => {
    const { cache, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3 });
    await vi.advanceTimersByTimeAsync(6000);
    expect(cache.markStale.mock.calls.flat()).toEqual(['home', 'history', 'item', 'letters', 'search']);
    expect(cache.expire).not.toHaveBeenCalled();
    progressStore.note(item, file, { position: 4 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    expect(cache.expire.mock.calls.flat()).toEqual(['home', 'history', 'item', 'letters', 'search']);
  });

  it('never goes beyond the end of a file, and repeats nothing', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 100.7 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    progressStore.note(item, file, { position: 100.2 });
    progressStore.settle();
    expect(positions(sent)).toEqual([100]);
  });

  it('keeps what did not arrive over a restart and sends it with the moment it was reached', async () => {
    const one = device();
    one.fail(new Unreachable('away'));
    const before = one.start();
    before.note(item, file, { position: 40 });
    before.settle();
    await vi.advanceTimersByTimeAsync(0);

    await vi.advanceTimersByTimeAsync(3000);
    one.fail(null);
    one.sent.length = 0;
    const after = one.start();
    expect(after.resume(file)).toBe(40);
    await after.flush();
    await after.flush();
    expect(one.sent).toMatchObject([{ position: 40, recorded_at: '2026-11-21T12:00:00.000000Z' }]);
  });

  it('tries again by itself while the server is away', async () => {
    const { sent, start, fail } = device();
    const progressStore = start();
    fail(new ApiError(503, 'unavailable', 'away'));
    progressStore.note(item, file, { position: 40 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    fail(null);
    await vi.advanceTimersByTimeAsync(30_000);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(positions(sent)).toEqual([40, 40]);
  });

  it('gives up what the server refuses for good', async () => {
    const { sent, start, fail } = device();
    const progressStore = start();
    fail(new ApiError(404, 'not_found', 'No such item.'));
    progressStore.note(item, file, { position: 40 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    await progressStore.flush();
    expect(sent.length).toBe(1);
  });

  it('sends no positions of a user in the name of another', async () => {
    const one = device();
    one.fail(new Unreachable('away'));
    const progressStore = one.start(1);
    progressStore.note(item, file, { position: 40 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    one.fail(null);
    one.sent.length = 0;
    progressStore.setUser(2);
    await progressStore.flush();
    expect(one.sent).toEqual([]);
    expect(progressStore.of(file)).toBeNull();
    progressStore.setUser(1);
    await progressStore.flush();
    expect(positions(one.sent)).toEqual([40]);
  });

  it('takes the newer of its own place and the server’s', () => {
    const { start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 40 });
    const row = { file_id: 70, position: 80, locator: null, extent: 100, fraction: 0.8, finished: false };
    expect(
      progressStore.of({ ...file, progress: { ...row, updated_at: '2026-11-21T11:00:00.000000Z' } })
        ?.position,
    ).toBe(40);
    expect(
      progressStore.of({ ...file, progress: { ...row, updated_at: '2026-11-21T13:00:00.000000Z' } })
        ?.position,
    ).toBe(80);
  });

  it('begins a finished file at its start', () => {
    const { start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 100, finished: true });
    expect(progressStore.resume(file)).toBe(0);
  });

  it('forgets an item with what was not sent yet', async () => {
    const { sent, api, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 40 });
    await new ManualProgress(api, progressStore).forget({ ...item, files: [file] } as never);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.asked).toEqual(['reset 7']);
    expect(sent).toEqual([]);
    expect(progressStore.of(file)).toBeNull();
  });

  it('lets a place that was put back stand, whatever was still to be sent', async () => {
    const { sent, api, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3 });
    await vi.advanceTimersByTimeAsync(10);
    progressStore.note(item, file, { position: 4 });
    await new ManualProgress(api, progressStore).restore(item, { id: 12 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.asked).toEqual(['restore 7 12']);
    expect(positions(sent)).toEqual([3]);
    expect(progressStore.of(file)?.position).toBe(61);
  });

  it.each([
    ['put', (hand: ManualProgress) => hand.put(item, file, { position: 40 })],
    ['restored', (hand: ManualProgress) => hand.restore(item, { id: 12 })],
  ])('shows a place that was %s to nobody who came before the answer did', async (_, ask) => {
    const { api, cache, start } = device();
    const progressStore = start();
    const asked = ask(new ManualProgress(api, progressStore));
    progressStore.setUser(2);
    progressStore.note(item, file, { position: 9 });
    await asked;
    expect(progressStore.of(file)?.position).toBe(9);
    expect(cache.expire).not.toHaveBeenCalled();
  });

  it('takes nothing from whoever came before the answer to forgetting did', async () => {
    const { sent, api, start } = device();
    const progressStore = start();
    const asked = new ManualProgress(api, progressStore).forget({ ...item, files: [file] } as never);
    progressStore.setUser(2);
    progressStore.note(item, file, { position: 9 });
    await asked;
    progressStore.settle();
    expect(progressStore.of(file)?.position).toBe(9);
    expect(positions(sent)).toEqual([9]);
  });

  it('goes on for nobody else where one act sets the progress of several files', async () => {
    const { sent, api, start } = device();
    const progressStore = start();
    const hand = new ManualProgress(api, progressStore);
    await hand.put(item, file, { position: 0 });
    progressStore.setUser(2);
    await hand.put(item, { id: 71, extent: null, progress: null }, { position: 0 });
    expect(sent.map(({ file_id }) => file_id)).toEqual([70]);
  });

  it('is not upset by a storage that holds something else', () => {
    const one = device();
    one.kept.set('outbox.1', '{"not":"a list"}');
    expect(one.start().of(file)).toBeNull();
    one.kept.set('outbox.1', '[[[');
    expect(one.start().of(file)).toBeNull();
  });
});

describe('positions that wait', () => {
  /** Two unsent positions, of which the first is being sent again. */
  async function sending() {
    const one = device();
    const progressStore = one.start();
    one.fail(new Unreachable());
    progressStore.note(item, file, { position: 5 });
    progressStore.note(item, { ...file, id: 71 }, { position: 6 });
    await vi.advanceTimersByTimeAsync(6000);
    one.fail(null);
    one.sent.length = 0;
    let answer: () => void = () => {};
    const write = one.api.writeProgress;
    one.api.writeProgress = async (...given) => {
      const row = await write(...given);
      await new Promise<void>((resolve) => (answer = resolve));
      return row;
    };
    const flushed = progressStore.flush();
    await vi.advanceTimersByTimeAsync(0);
    const on = async () => {
      answer();
      await vi.advanceTimersByTimeAsync(0);
      answer();
      await flushed;
    };
    return { ...one, progressStore, on };
  }

  it('are not sent in the name of whoever sits here next', async () => {
    const { progressStore, sent, kept, on } = await sending();
    progressStore.setUser(2);
    await on();
    expect(sent.map(({ file_id }) => file_id)).toEqual([70]);
    expect(JSON.parse(kept.get('outbox.2') ?? '[]')).toEqual([]);
    // A delivered position is removed for its user.
    expect(JSON.parse(kept.get('outbox.1') ?? '[]')).toMatchObject([{ file_id: 71 }]);
  });

  it('are not brought back where they are forgotten meanwhile', async () => {
    const { api, progressStore, sent, kept, on } = await sending();
    await new ManualProgress(api, progressStore).forget({
      ...item,
      files: [file, { ...file, id: 71 }],
    } as unknown as Item);
    await on();
    expect(sent.map(({ file_id }) => file_id)).toEqual([70]);
    expect(JSON.parse(kept.get('outbox.1') ?? '[]')).toEqual([]);
  });
});
