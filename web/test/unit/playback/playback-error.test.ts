/** Repeated reports of the same outage. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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

describe('a decoder that the server refuses', () => {
  const refused = (status: number) => {
    const { error, probe, playing } = unloadable();
    error.clear();
    playing.retry = vi.fn();
    probe.mockClear().mockResolvedValue(status);
    const watch = () =>
      error.watch(
        Object.assign(new EventTarget(), { paused: true, pause: () => {} }),
        { vcodec: null, acodec: null },
        '/film',
        true,
      );
    watch();
    error.report({ trouble: 'session' });
    return { error, probe, playing, watch };
  };

  it('asks the server, so that the page asks for a login', async () => {
    const { error, probe, playing } = refused(401);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(probe).toHaveBeenCalledExactlyOnceWith('/film');
    expect(error.trouble).toBe('session');
    expect(playing.retry).not.toHaveBeenCalled();
  });

  it('continues if the session was renewed meanwhile, and is reported if it is refused again', async () => {
    const { error, playing } = refused(206);
    await vi.advanceTimersByTimeAsync(1000);
    expect(error.trouble).toBeNull();
    expect(playing.retry).toHaveBeenCalledOnce();
    error.report({ trouble: 'session' });
    await vi.advanceTimersByTimeAsync(1000);
    expect(error.trouble).toBe('session');
    expect(playing.retry).toHaveBeenCalledOnce();
  });

  it('is not reported after the file was left', async () => {
    const { error, watch } = refused(401);
    error.clear();
    watch();
    await vi.advanceTimersByTimeAsync(1000);
    expect(error.trouble).toBeNull();
  });
});
