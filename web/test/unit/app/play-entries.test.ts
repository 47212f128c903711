/** The turns of requests that play something: the latest click wins. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { playEntries } from '../../../src/app/play-entries';
import { LazyPlayer } from '../../../src/playback/lazy-player.svelte';
import type { SavedEntry } from '../../../src/playback/queue/saved-queue';
import type { Item } from '../../../src/api/models';
import { Fake, book, file, stand } from '../playback/fake-player';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('Audio', Fake);
  vi.stubGlobal('document', { body: { append: () => {} } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const album = { ...book([file(10), file(11)], 'album'), id: 1 } as Item;
const other = { ...book([file(20), file(21)], 'album'), id: 2 } as Item;

function page() {
  const { player: one } = stand([album, other]);
  const load = vi.fn(async () => ({ Dock: {} as never, start: () => one }));
  const player = new LazyPlayer(load);
  const entries = (item: number, ...files: number[]) =>
    files.map((id): SavedEntry => ({ item, file: id, alone: true }));
  /** Plays entries that arrive after some milliseconds. */
  const play = (after: number, item: number, ...files: number[]) =>
    playEntries({ player }, async () => {
      await new Promise((done) => setTimeout(done, after));
      return entries(item, ...files);
    });
  return { player, load, play, heard: () => one.file?.id };
}

it('a late answer does not replace the row of a later click', async () => {
  const { play, heard } = page();
  const first = play(500, 1, 10);
  const second = play(100, 2, 20);
  await vi.advanceTimersByTimeAsync(1000);
  expect([await first, await second, heard()]).toEqual([true, true, 20]);
});

it('a late answer does not replace an album that was started later', async () => {
  const { player, play, heard } = page();
  const late = play(500, 1, 10);
  player.play(other, other.files[1]!);
  await vi.advanceTimersByTimeAsync(1000);
  expect([await late, heard()]).toEqual([true, 21]);
  const again = play(500, 1, 10);
  await vi.advanceTimersByTimeAsync(1);
  player.player?.play(other, other.files[0]!);
  await vi.advanceTimersByTimeAsync(1000);
  expect([await again, heard()]).toEqual([true, 20]);
});

it('a failed request is reported once, also without a player', async () => {
  const { load, player } = page();
  load.mockRejectedValueOnce(new TypeError('away'));
  const failed = playEntries({ player }, () => Promise.reject(new Error('gone')));
  await expect(failed).rejects.toThrow('gone');
  // A second rejection without a handler fails the run.
  await vi.advanceTimersByTimeAsync(0);
});

it('a player that does not load is reported', async () => {
  const { load, player } = page();
  load.mockRejectedValueOnce(new TypeError('away'));
  await expect(playEntries({ player }, async () => [])).rejects.toThrow('away');
});
