/** Repeated reports of the same outage. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PlaybackError } from '../../../src/playback/playback-error.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

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
