/** The offer to continue the queue of another device. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Unreachable } from '../../../src/api/client';
import type { ListEntry, Queue } from '../../../src/api/models';
import { LazyPlayer } from '../../../src/playback/lazy-player.svelte';
import type { Player } from '../../../src/playback/player.svelte';
import { OfferedQueue } from '../../../src/shell/offered-queue.svelte';
import { Fake } from '../playback/fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('Audio', Fake);
  vi.stubGlobal('document', { body: { append: () => {} } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const entry = { file_id: 1, title: 'Entry', duration: 60, missing: false } as ListEntry;
const queue = { items: [entry], total: 1, current: 0, position: 20, version: 4 } as unknown as Queue;

function stand(takeServerQueue: () => Promise<boolean> = async () => true) {
  const get = vi.fn(async () => queue);
  const player = { takeServerQueue, close: () => {} } as unknown as Player;
  const load = vi.fn(async () => ({ Dock: {} as never, start: () => player }));
  const deck = new LazyPlayer(load);
  const memory = { version: null as string | null };
  const declined = { get: () => memory.version, set: (version: string) => void (memory.version = version) };
  return { get, load, deck, offered: new OfferedQueue({ get }, deck, declined), declined };
}

it('asks again after a failed request', async () => {
  const { get, offered } = stand();
  get.mockRejectedValueOnce(new Unreachable('Not now.'));
  await offered.ask();
  expect([offered.offer, offered.isAsked]).toEqual([null, true]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(offered.isAsked).toBe(false);
  await offered.ask();
  expect(offered.offer?.position).toBe(20);
});

it('ends when something plays, also before the response', async () => {
  const { offered } = stand();
  await offered.ask();
  offered.withdraw();
  expect(offered.offer).toBeNull();
  const early = stand().offered;
  const asked = early.ask();
  early.withdraw();
  await asked;
  expect(early.offer).toBeNull();
});

it('shows the error and can be taken again if the player does not load', async () => {
  const { load, offered } = stand();
  load.mockRejectedValueOnce(new TypeError('away'));
  await offered.ask();
  offered.take();
  expect(offered.busy).toBe(true);
  await vi.advanceTimersByTimeAsync(0);
  expect([offered.busy, offered.problem !== '', offered.offer !== null]).toEqual([false, true, true]);
  offered.take();
  await vi.advanceTimersByTimeAsync(0);
  expect([offered.busy, offered.problem, offered.offer]).toEqual([false, '', null]);
});

it('does not replace an item that was started while the player loaded', async () => {
  const take = vi.fn(async () => true);
  const { deck, offered } = stand(take);
  await offered.ask();
  offered.take();
  deck.takeTurn();
  await vi.advanceTimersByTimeAsync(0);
  expect([take.mock.calls.length, offered.busy]).toEqual([0, false]);
});

it('does not show a declined version again', async () => {
  const { offered, declined } = stand();
  await offered.ask();
  offered.decline();
  expect([offered.offer, declined.get()]).toEqual([null, '4']);
  await offered.ask();
  expect(offered.offer).toBeNull();
});
