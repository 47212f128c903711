/** The queue of a tab as the queue on the server. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, Unreachable } from '../../../../src/api/client';
import type { ListEntry, Queue } from '../../../../src/api/models';
import type { QueueContent } from '../../../../src/api/lists/queue';
import { readOffer } from '../../../../src/playback/queue/server-offer';
import {
  ServerQueue,
  type Confirmed,
  type Snapshot,
} from '../../../../src/playback/queue/server-queue.svelte';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const stale = new ApiError(412, 'precondition_failed', 'Another version.');
const entry = (id: number) =>
  ({ id, file_id: id, title: `Entry ${id}`, duration: 60, missing: false }) as ListEntry;

/** A server with one queue, and a tab whose queue is `now`. */
function stand(now: Snapshot | null, before: Confirmed | null = null) {
  const state = { files: [] as number[], current: 0 as number | null, position: 0, version: 0 };
  const stored = { value: before };
  const page = ({ offset, limit }: { offset: number; limit: number }) =>
    ({
      ...{ items: state.files.slice(offset, offset + limit).map(entry), total: state.files.length },
      ...{ offset, limit, current: state.current, position: state.position, version: state.version },
      updated_at: null,
    }) as Queue;
  const change = (version: number | null, content: Partial<QueueContent>) => {
    if (version !== null && version !== state.version) throw stale;
    Object.assign(state, content, { version: state.version + 1 });
    return page({ offset: 0, limit: 60 });
  };
  const api = {
    get: vi.fn(async (window: { offset: number; limit: number }) => page(window)),
    replace: vi.fn(async (content: QueueContent, version: number | null) => change(version, content)),
    update: vi.fn(async (position: Partial<QueueContent>, version: number | null) =>
      change(version, position),
    ),
    clear: vi.fn(async (version: number) => void change(version, { files: [], current: 0 })),
  };
  const tab = { now };
  const queue = new ServerQueue(
    api,
    { get: () => stored.value, set: (one) => void (stored.value = one) },
    () => tab.now,
  );
  return { queue, api, state, stored, tab, pass: (ms: number) => vi.advanceTimersByTimeAsync(ms) };
}

describe('the queue on the server', () => {
  it('receives several changes as one request, and then positions only', async () => {
    const { queue, api, state, tab, pass } = stand({ files: [1, 2, 3], current: 0, position: 0 });
    queue.changed();
    queue.changed();
    await pass(1000);
    expect(api.replace.mock.calls).toEqual([[{ files: [1, 2, 3], current: 0, position: 0 }, null]]);
    tab.now = { files: [1, 2, 3], current: 1, position: 4 };
    queue.changed();
    await pass(1000);
    expect(api.update.mock.calls[0]?.slice(0, 2)).toEqual([{ current: 1, position: 4 }, 1]);
    expect(state).toEqual({ files: [1, 2, 3], current: 1, position: 4, version: 2 });
  });

  it('keeps played entries while the rest of the list is the same', async () => {
    const { queue, api, state, tab, pass } = stand({ files: [1, 2, 3], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    tab.now = { files: [3], current: 0, position: 0 };
    queue.changed();
    await pass(1000);
    expect([state.files, state.current, api.replace.mock.calls.length]).toEqual([[1, 2, 3], 2, 1]);
    tab.now = { files: [3, 9], current: 0, position: 0 };
    queue.changed();
    await pass(1000);
    expect([state.files, state.current]).toEqual([[3, 9], 0]);
  });

  it('sends the position in a long interval, and an unchanged one not at all', async () => {
    const { queue, api, tab, pass } = stand({ files: [1], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    for (let second = 1; second <= 90; second += 1) {
      tab.now = { files: [1], current: 0, position: second };
      queue.moved();
      await pass(1000);
    }
    expect(api.update.mock.calls.length).toBeLessThanOrEqual(3);
    expect(api.update.mock.calls.length).toBeGreaterThanOrEqual(2);
    await queue.flush();
    const sent = api.update.mock.calls.length;
    queue.changed();
    await pass(1000);
    expect(api.update.mock.calls.length).toBe(sent);
  });

  it('waits while the queue of the tab is incomplete', async () => {
    const { queue, api, pass } = stand(null);
    queue.changed();
    await pass(1000);
    expect(api.replace).not.toHaveBeenCalled();
  });

  it('repeats a request after an outage', async () => {
    const { queue, api, state, pass } = stand({ files: [1], current: 0, position: 0 });
    api.replace.mockRejectedValueOnce(new Unreachable('Not now.'));
    queue.changed();
    await pass(1000);
    expect(state.version).toBe(0);
    await pass(20_000);
    expect([state.files, state.version]).toEqual([[1], 1]);
  });

  it('gives up rejected files until the list changes', async () => {
    const { queue, api, state, tab, pass } = stand({ files: [1, 99], current: 0, position: 0 });
    api.replace.mockRejectedValueOnce(new ApiError(422, 'invalid', 'No file 99.', 'files'));
    queue.changed();
    await pass(60_000);
    queue.changed();
    await pass(1000);
    expect(api.replace.mock.calls.length).toBe(1);
    tab.now = { files: [1], current: 0, position: 0 };
    queue.changed();
    await pass(1000);
    expect(state.files).toEqual([1]);
  });

  it('asks after a conflict, sends nothing meanwhile, and replaces the other queue on request', async () => {
    const { queue, api, state, tab, pass } = stand({ files: [1, 2], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    Object.assign(state, { files: [7, 8], current: 1, position: 5, version: 9 });
    tab.now = { files: [1, 2], current: 1, position: 0 };
    queue.changed();
    await pass(1000);
    expect(queue.conflict).toMatchObject({ entry: { title: 'Entry 8' }, position: 5, version: 9 });
    const calls = api.update.mock.calls.length;
    queue.changed();
    await pass(60_000);
    expect([api.update.mock.calls.length, state.files]).toEqual([calls, [7, 8]]);
    queue.keep();
    await pass(1000);
    expect([queue.conflict, state.files, state.current]).toEqual([null, [1, 2], 1]);
  });

  it('takes the queue of the other device without writing it', async () => {
    const { queue, api, state, tab, pass } = stand({ files: [1], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    Object.assign(state, { files: [7, 8], current: 1, position: 5, version: 9 });
    await queue.check();
    expect(queue.conflict?.entry?.title).toBe('Entry 8');
    const { queue: server, entries } = await queue.read();
    expect(entries.map(({ file_id }) => file_id)).toEqual([7, 8]);
    queue.adopt({ files: [7, 8], current: 1, position: 5, version: server.version });
    tab.now = { files: [8], current: 0, position: 5 };
    queue.changed();
    await pass(1000);
    expect([queue.conflict, state.version, api.replace.mock.calls.length]).toEqual([null, 9, 1]);
  });

  it('replaces a queue that another device emptied without a question', async () => {
    const { queue, state, tab, pass } = stand({ files: [1], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    Object.assign(state, { files: [], current: null, version: 9 });
    tab.now = { files: [1], current: 0, position: 3 };
    queue.changed();
    await pass(2000);
    expect([queue.conflict, state.files, state.version]).toEqual([null, [1], 10]);
  });

  it('writes nothing after a reload without a change, and checks the version of the first change', async () => {
    const confirmed = { files: [1, 2], current: 0, position: 4, version: 3 };
    const { queue, api, state, tab, pass } = stand({ files: [1, 2], current: 0, position: 4 }, confirmed);
    Object.assign(state, { files: [7], version: 4 });
    queue.changed();
    await pass(1000);
    expect(api.update).not.toHaveBeenCalled();
    tab.now = { files: [1, 2], current: 1, position: 0 };
    queue.changed();
    await pass(1000);
    expect([queue.conflict?.version, state.files]).toEqual([4, [7]]);
  });

  it('recognises its own request whose response got lost', async () => {
    const { queue, api, state, stored, tab, pass } = stand({ files: [1, 2], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    api.update.mockImplementationOnce(async (position) => {
      Object.assign(state, position, { version: state.version + 1 });
      throw new Unreachable('The page closed.');
    });
    tab.now = { files: [1, 2], current: 1, position: 7 };
    await queue.flush(true);
    // The page opens again.
    const next = stand({ files: [1, 2], current: 1, position: 9 }, stored.value);
    Object.assign(next.state, state);
    next.queue.changed();
    await next.pass(3000);
    expect([next.queue.conflict, next.state.position, next.state.version]).toEqual([null, 9, 3]);
    // Another device at the same version is a conflict.
    const other = stand({ files: [1, 2], current: 1, position: 9 }, stored.value);
    Object.assign(other.state, { files: [5, 6], current: 1, position: 7, version: 2 });
    other.queue.changed();
    await other.pass(3000);
    expect(other.queue.conflict?.version).toBe(2);
  });

  it('is cleared with the player, unless another device changed it', async () => {
    const { queue, state, stored, pass } = stand({ files: [1], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    queue.clear();
    await pass(1);
    expect([state.files, stored.value]).toEqual([[], null]);
    const other = stand({ files: [1], current: 0, position: 0 });
    other.queue.changed();
    await other.pass(1000);
    Object.assign(other.state, { files: [7], version: 9 });
    other.queue.clear();
    await other.pass(1);
    expect(other.state.files).toEqual([7]);
  });

  it('is cleared after the request in flight, in its version', async () => {
    const { queue, api, state, stored, pass } = stand({ files: [1], current: 0, position: 0 });
    const answer = api.replace.getMockImplementation()!;
    api.replace.mockImplementationOnce(async (content, version) => {
      await new Promise((done) => setTimeout(done, 50));
      return answer(content, version);
    });
    queue.changed();
    await pass(410);
    void queue.clear();
    queue.close();
    await pass(1000);
    expect([state.files, state.version, stored.value]).toEqual([[], 2, null]);
    expect(api.clear.mock.calls).toEqual([[1]]);
  });

  it('asks again if the check after a conflict fails', async () => {
    const { queue, api, state, tab, pass } = stand({ files: [1], current: 0, position: 0 });
    queue.changed();
    await pass(1000);
    Object.assign(state, { files: [7], version: 9 });
    tab.now = { files: [1, 2], current: 0, position: 0 };
    api.get.mockRejectedValueOnce(new Unreachable('Not now.'));
    queue.changed();
    await pass(1000);
    expect(queue.conflict).toBeNull();
    await pass(20_000);
    expect(queue.conflict?.version).toBe(9);
  });

  it('sends nothing after the player closed', async () => {
    const { queue, api, pass } = stand({ files: [1], current: 0, position: 0 });
    queue.changed();
    queue.close();
    await pass(60_000);
    await queue.flush();
    expect(api.replace).not.toHaveBeenCalled();
  });
});

describe('the offer to continue', () => {
  const api = (more: Partial<Queue>) => ({
    get: async ({ offset }: { offset: number; limit: number }) =>
      ({ items: [entry(offset)], total: 5, current: 3, position: 20, version: 2, ...more }) as Queue,
  });

  it('has the current entry and its position', async () => {
    expect(await readOffer(api({}))).toMatchObject({ entry: { title: 'Entry 3' }, position: 20, version: 2 });
  });

  it('has no entry at the end of the last one, or for an invisible or missing one', async () => {
    expect((await readOffer(api({ current: 4, position: 58 }))).entry).toBeNull();
    expect((await readOffer(api({ current: 4, position: 8 }))).entry).not.toBeNull();
    expect((await readOffer(api({ current: null }))).entry).toBeNull();
    const gone = [{ ...entry(0), missing: true }];
    expect((await readOffer(api({ current: 0, items: gone }))).entry).toBeNull();
  });
});
