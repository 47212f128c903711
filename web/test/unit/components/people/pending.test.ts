/** The repeated request for a person whose details the server requests. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repeat } from '../../../../src/components/people/pending';

const HOUR = 3_600_000;
let isVisible = true;
const refetch = vi.fn<() => Promise<void>>();
const end = vi.fn();
const start = () => repeat(refetch, end, () => isVisible);

describe('the request for a person', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.resetAllMocks();
    isVisible = true;
    refetch.mockResolvedValue();
  });
  afterEach(() => void vi.useRealTimers());

  it('is repeated with growing waits, then ends once', async () => {
    start();
    expect(refetch).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(refetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(refetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(27_999);
    expect(refetch).toHaveBeenCalledTimes(4);
    expect(end).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(refetch).toHaveBeenCalledTimes(5);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('waits for each response, the last one included', async () => {
    let answer = () => {};
    refetch.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    start();
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(refetch).toHaveBeenCalledTimes(1);
    for (let count = 2; count <= 5; count += 1) {
      answer();
      await vi.advanceTimersByTimeAsync(HOUR);
      expect(refetch).toHaveBeenCalledTimes(count);
    }
    expect(end).not.toHaveBeenCalled();
    answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('pauses in a hidden tab, and loses no repetition', async () => {
    start();
    isVisible = false;
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(refetch).not.toHaveBeenCalled();
    expect(end).not.toHaveBeenCalled();
    isVisible = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(refetch).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(refetch).toHaveBeenCalledTimes(5);
    expect(end).toHaveBeenCalledTimes(1);
  });

  it('continues after a failed request', async () => {
    refetch.mockRejectedValueOnce(new Error('no answer'));
    start();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(refetch).toHaveBeenCalledTimes(2);
  });

  it('stops with the page, also while a request is in flight', async () => {
    let answer = () => {};
    refetch.mockImplementation(() => new Promise((resolve) => (answer = resolve)));
    const stop = start();
    await vi.advanceTimersByTimeAsync(1_000);
    stop();
    answer();
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(refetch).toHaveBeenCalledTimes(1);
    expect(end).not.toHaveBeenCalled();

    start()();
    await vi.advanceTimersByTimeAsync(HOUR);
    expect(refetch).toHaveBeenCalledTimes(1);
  });
});
