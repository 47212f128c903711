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
        within: body.within ?? null,
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
  within: null,
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

describe('ProgressStore', () => {
  it('sends the first position at once, and then the newest one at most every five seconds', async () => {
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

  it('sends the position inside the section, and keeps it', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3, locator: 'a', within: 0.25 });
    await progressStore.settle();
    expect(sent.map((write) => write.within)).toEqual([0.25]);
    expect(progressStore.of(file)?.within).toBe(0.25);
    progressStore.note(item, file, { position: 4, locator: 'b', within: null });
    await progressStore.settle();
    expect(sent.at(-1)).not.toHaveProperty('within');
  });

  it('resolves after the delivery of pending positions, also if the server does not answer', async () => {
    const { sent, start, fail } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3 });
    await progressStore.settle();
    expect(positions(sent)).toEqual([3]);
    fail(new Unreachable('gone'));
    progressStore.note(item, file, { position: 4 });
    await expect(progressStore.settle()).resolves.toBeUndefined();
  });

  it('sends the pending position once when playback stops', async () => {
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

  it('sends a keepalive request when the page closes', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3 });
    progressStore.settle({ keepalive: true });
    expect(sent).toMatchObject([{ item: 7, file_id: 70, position: 3, finished: false, keepalive: true }]);
  });

  it('sends the time of each position in ascending order', async () => {
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

  it('ignores a position that is not a number', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: Number.NaN, finished: true });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sent).toEqual([]);
    expect(progressStore.of(file)).toBeNull();
  });

  it('rounds positions to the server’s resolution', () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 3, finished: true, locator: `epubcfi(${'é'.repeat(600)})` });
    progressStore.settle();
    expect(sent).toMatchObject([{ position: 3, finished: true, locator: null }]);
  });

  it('invalidates progress views: at once when playback stops, otherwise on the next use', async () => {
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

  it('clamps positions to the length of a file, and skips repeats', async () => {
    const { sent, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 100.7 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    progressStore.note(item, file, { position: 100.2 });
    progressStore.settle();
    expect(positions(sent)).toEqual([100]);
  });

  it('knows the length and the share of a position after a restart', async () => {
    const one = device();
    one.fail(new Unreachable('away'));
    const before = one.start();
    before.note(item, file, { position: 40 });
    await before.settle();
    expect(one.start().of(file)).toEqual(before.of(file));
    expect(one.start().of(file)).toMatchObject({ position: 40, extent: 100, fraction: 0.4 });
    expect(one.start().of({ ...file, extent: null })).toMatchObject({ extent: null, fraction: null });
    before.note(item, file, { position: 100, finished: true });
    await before.settle();
    expect(one.start().of({ ...file, extent: null })).toMatchObject({ finished: true, fraction: 1 });
  });

  it('stores unsent positions over a restart with their original time', async () => {
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

  it('retries while the server is unavailable', async () => {
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

  it('discards positions that the server rejects permanently', async () => {
    const { sent, start, fail } = device();
    const progressStore = start();
    fail(new ApiError(404, 'not_found', 'No such item.'));
    progressStore.note(item, file, { position: 40 });
    progressStore.settle();
    await vi.advanceTimersByTimeAsync(0);
    await progressStore.flush();
    expect(sent.length).toBe(1);
  });

  it('sends no positions of one user as another user', async () => {
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

  it('uses the newer of the local and the server’s position', () => {
    const { start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 40 });
    const row = {
      file_id: 70,
      position: 80,
      locator: null,
      within: null,
      extent: 100,
      fraction: 0.8,
      finished: false,
    };
    expect(
      progressStore.of({ ...file, progress: { ...row, updated_at: '2026-11-21T11:00:00.000000Z' } })
        ?.position,
    ).toBe(40);
    expect(
      progressStore.of({ ...file, progress: { ...row, updated_at: '2026-11-21T13:00:00.000000Z' } })
        ?.position,
    ).toBe(80);
  });

  it('starts a finished file at its beginning', () => {
    const { start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 100, finished: true });
    expect(progressStore.resume(file)).toBe(0);
  });

  it('removes an item with its unsent positions', async () => {
    const { sent, api, start } = device();
    const progressStore = start();
    progressStore.note(item, file, { position: 40 });
    await new ManualProgress(api, progressStore).forget({ ...item, files: [file] } as never);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(api.asked).toEqual(['reset 7']);
    expect(sent).toEqual([]);
    expect(progressStore.of(file)).toBeNull();
  });

  it('keeps a restored position in spite of pending ones', async () => {
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
  ])(
    'shows a position that was %s only to its user if the user changes before the response',
    async (_, ask) => {
      const { api, cache, start } = device();
      const progressStore = start();
      const asked = ask(new ManualProgress(api, progressStore));
      progressStore.setUser(2);
      progressStore.note(item, file, { position: 9 });
      await asked;
      expect(progressStore.of(file)?.position).toBe(9);
      expect(cache.expire).not.toHaveBeenCalled();
    },
  );

  it('ignores positions from before the response to a reset', async () => {
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

  it('stops a bulk change after another user has signed in', async () => {
    const { sent, api, start } = device();
    const progressStore = start();
    const hand = new ManualProgress(api, progressStore);
    await hand.put(item, file, { position: 0 });
    progressStore.setUser(2);
    await hand.put(item, { id: 71, extent: null, progress: null }, { position: 0 });
    expect(sent.map(({ file_id }) => file_id)).toEqual([70]);
  });

  it('ignores invalid stored data', () => {
    const one = device();
    one.kept.set('outbox.1', '{"not":"a list"}');
    expect(one.start().of(file)).toBeNull();
    one.kept.set('outbox.1', '[[[');
    expect(one.start().of(file)).toBeNull();
  });
});

describe('pending positions', () => {
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

  it('are not sent as another user', async () => {
    const { progressStore, sent, kept, on } = await sending();
    progressStore.setUser(2);
    await on();
    expect(sent.map(({ file_id }) => file_id)).toEqual([70]);
    expect(JSON.parse(kept.get('outbox.2') ?? '[]')).toEqual([]);
    // A delivered position is removed for its user.
    expect(JSON.parse(kept.get('outbox.1') ?? '[]')).toMatchObject([{ file_id: 71 }]);
  });

  it('are not restored after a reset', async () => {
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
