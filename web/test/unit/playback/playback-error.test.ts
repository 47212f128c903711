/** Repeated reports of the same outage. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PlaybackError } from '../../../src/playback/playback-error.svelte';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** An error report whose retries fail in the same way. */
function unloadable() {
  const times: number[] = [];
  const probe = vi.fn(async () => 206);
  const element = Object.assign(new EventTarget(), { paused: true, pause: () => {} });
  const load = () => {
    error.clear();
    error.watch(element, { vcodec: null, acodec: null }, '/film', true);
    error.report({ trouble: 'unloaded' });
  };
  const playing = {
    ...{ place: () => '', isWanted: () => true, onbroke: vi.fn(), onstop: vi.fn(), fallBack: vi.fn() },
    retry: () => {
      times.push(Date.now() / 1000);
      load();
    },
  };
  const error: PlaybackError = new PlaybackError({ probe }, playing);
  load();
  return { error, probe, times, element, playing };
}

it('a decoder that does not load is requested again with growing delays, and no other way is chosen', async () => {
  vi.setSystemTime(0);
  const { error, times, playing } = unloadable();
  expect(error.trouble).toBe('unloaded');
  await vi.advanceTimersByTimeAsync(190_000);
  expect(times).toEqual([2, 6, 14, 30, 62, 122, 182]);
  expect(playing.fallBack).not.toHaveBeenCalled();
});

it('after playback, the decoder is requested quickly again', async () => {
  vi.setSystemTime(0);
  const { times, element, error } = unloadable();
  await vi.advanceTimersByTimeAsync(14_000);
  element.dispatchEvent(new Event('playing'));
  error.report({ trouble: 'unloaded' });
  await vi.advanceTimersByTimeAsync(2100);
  expect(times).toEqual([2, 6, 14, 16]);
});

it('while the server is unreachable, the decoder is not requested', async () => {
  const { probe, times } = unloadable();
  probe.mockResolvedValue(0);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(times).toEqual([]);
  probe.mockResolvedValue(206);
  await vi.advanceTimersByTimeAsync(2100);
  expect(times).toHaveLength(1);
});

it('asks the server once in five seconds, however often the outage is reported', async () => {
  const probe = vi.fn(async () => 0);
  const playing = {
    place: () => '',
    isWanted: () => true,
    onbroke: vi.fn(),
    onstop: vi.fn(),
    retry: vi.fn(),
  };
  const error = new PlaybackError({ probe }, playing);
  for (let times = 0; times < 10; times += 1) error.report({ trouble: 'unreachable' });
  await vi.advanceTimersByTimeAsync(5100);
  expect(probe).toHaveBeenCalledTimes(1);
  error.report({ trouble: 'unreachable' });
  await vi.advanceTimersByTimeAsync(10_100);
  expect(probe).toHaveBeenCalledTimes(3);
  error.clear();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(probe).toHaveBeenCalledTimes(3);
});
