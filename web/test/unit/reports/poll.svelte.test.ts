import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Poll } from '../../../src/api/reports/poll.svelte';
import { QueryCache } from '../../../src/api/query.svelte';

/** Two polled responses: one every five seconds, one every thirty. */
function polled() {
  const around = { visible: true, reachable: true };
  const cache = new QueryCache();
  const asked = { often: 0, seldom: 0 };
  let isHeld = false;
  const answer = (name: keyof typeof asked) => async () => {
    asked[name] += 1;
    while (isHeld) await new Promise((done) => setTimeout(done, 100));
    return { n: asked[name] };
  };
  const poll = new Poll(
    [
      { query: cache.get('often', answer('often')), every: 5000 },
      { query: cache.get('seldom', answer('seldom')), every: 30_000 },
    ],
    { visible: () => around.visible, reachable: () => around.reachable },
  );
  return { poll, around, asked, cache, hold: (held: boolean) => (isHeld = held) };
}

describe('a poll', () => {
  let end = () => {};
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('document', new EventTarget());
  });
  afterEach(() => {
    end();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('fetches at once, and then each response in its own interval', async () => {
    const { poll, asked } = polled();
    end = poll.start();
    await pass(0);
    expect(asked).toEqual({ often: 1, seldom: 1 });
    await pass(30_500);
    expect(asked).toEqual({ often: 7, seldom: 2 });
  });

  it('sends nothing while the page is hidden, and fetches once it is visible again', async () => {
    const { poll, asked, around } = polled();
    end = poll.start();
    await pass(0);
    around.visible = false;
    await pass(120_000);
    expect(asked).toEqual({ often: 1, seldom: 1 });
    around.visible = true;
    document.dispatchEvent(new Event('visibilitychange'));
    await pass(0);
    expect(asked).toEqual({ often: 2, seldom: 2 });
  });

  it('sends nothing while the server is unreachable, but its clock goes on', async () => {
    const { poll, asked, around } = polled();
    end = poll.start();
    await pass(0);
    around.reachable = false;
    const before = poll.now;
    await pass(20_000);
    expect(asked.often).toBe(1);
    expect(poll.now - before).toBe(20_000);
    expect(poll.now - (poll.updatedAt ?? 0)).toBe(20_000);
  });

  it('does not repeat a request that is in flight', async () => {
    const { poll, asked, hold } = polled();
    hold(true);
    end = poll.start();
    await pass(20_000);
    expect(asked.often).toBe(1);
    expect(poll.updatedAt).toBeNull();
    hold(false);
    await pass(1200);
    expect(asked.often).toBe(2);
  });

  it('ends with its page, and releases its responses', async () => {
    const { poll, asked, cache } = polled();
    poll.start()();
    await pass(60_000);
    expect(asked).toEqual({ often: 1, seldom: 1 });
    expect(cache.get('often', async () => ({ n: 0 })).held).toBe(false);
  });
});
