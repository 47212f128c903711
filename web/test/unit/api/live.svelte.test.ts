import { flushSync } from 'svelte';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Live, type Channel, type ScanEvent, type Source } from '../../../src/api/live.svelte';
import { ScanWatch } from '../../../src/pages/settings/library/scan-status.svelte';

class Stream implements Source {
  onopen: Source['onopen'] = null;
  onerror: Source['onerror'] = null;
  readyState = 0;
  readonly #heard = new Map<string, (event: MessageEvent<string>) => void>();

  addEventListener(type: string, listener: (event: MessageEvent<string>) => void) {
    this.#heard.set(type, listener);
  }
  close() {
    this.readyState = 2;
  }
  open() {
    this.readyState = 1;
    this.onopen?.(new Event('open'));
  }
  refuse() {
    this.readyState = 2;
    this.onerror?.(new Event('error'));
  }
  send(type: string, data: unknown) {
    this.#heard.get(type)?.({ data: JSON.stringify(data) } as MessageEvent<string>);
  }
}

/** A browser whose pages are opened, hidden and shown, with the streams that they requested. */
function browser() {
  const streams: Stream[] = [];
  const channels = new Set<Channel>();
  const open = () => {
    let visible = true;
    let dead = false;
    const live = new Live({
      visible: () => visible,
      source: () => {
        const stream = new Stream();
        streams.push(stream);
        return stream;
      },
      channel: () => {
        const own: Channel = {
          onmessage: null,
          postMessage: (message) => {
            for (const other of channels)
              if (other !== own && !dead)
                queueMicrotask(() => other.onmessage?.({ data: message } as MessageEvent));
          },
          close: () => void channels.delete(own),
        };
        channels.add(own);
        return own;
      },
    });
    const mine = streams.length;
    const stop = live.start();
    const crash = () => {
      streams[mine]?.close();
      dead = true;
    };
    const show = (to: boolean) => {
      visible = to;
      live.visibilityChanged();
    };
    return { live, stop, show, crash };
  };
  const alive = () => streams.filter((stream) => stream.readyState !== 2);
  return { streams, open, alive };
}

const scan = (status: ScanEvent['status'], scanned = 0): ScanEvent => ({
  library_id: 3,
  status,
  job_id: 1,
  scanned,
  total: null,
  added: 0,
  updated: 0,
  moved: 0,
  missing: 0,
  restored: 0,
  errors: [],
  errors_overflow: 0,
  started_at: null,
  finished_at: null,
  error: null,
});

const settle = () => vi.advanceTimersByTimeAsync(1);

beforeEach(() => void vi.useFakeTimers({ now: new Date('2026-11-21T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

describe('Live', () => {
  it('keeps one stream for all pages, which receive its events', async () => {
    const { streams, open, alive } = browser();
    const first = open();
    await settle();
    const second = open();
    await settle();
    expect(streams).toHaveLength(2);
    expect(alive()).toEqual([streams[1]]);
    streams[1]!.open();
    streams[1]!.send('scan', scan('running', 12));
    await settle();
    expect(first.live.scans[3]?.scanned).toBe(12);
    expect(second.live.scans[3]?.scanned).toBe(12);
    expect([first.live.listening, second.live.listening]).toEqual([true, true]);
  });

  it('passes the stream on when its page is hidden, and opens none while hidden', async () => {
    const { open, alive, streams } = browser();
    const first = open();
    await settle();
    const second = open();
    await settle();
    second.show(false);
    await settle();
    expect(alive()).toEqual([streams[2]]);
    first.show(false);
    await settle();
    expect(alive()).toEqual([]);
    first.show(true);
    await settle();
    expect(alive()).toHaveLength(1);
  });

  it('opens one stream if two pages start at once', async () => {
    const { open, alive } = browser();
    const pages = [open(), open(), open()];
    await vi.advanceTimersByTimeAsync(6000);
    expect(alive()).toHaveLength(1);
    for (const page of pages.slice(1)) page.show(false);
    await vi.advanceTimersByTimeAsync(6000);
    expect(alive()).toHaveLength(1);
  });

  it('takes over the stream of a page that disappeared', async () => {
    const { open, alive } = browser();
    const first = open();
    await settle();
    const second = open();
    await settle();
    second.crash();
    await vi.advanceTimersByTimeAsync(11_000);
    expect(alive()).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(alive()).toHaveLength(1);
    alive()[0]!.open();
    expect(first.live.listening).toBe(true);
  });

  it('retries with a delay after a rejection', async () => {
    const { open, streams } = browser();
    open();
    streams[0]!.refuse();
    await vi.advanceTimersByTimeAsync(9000);
    expect(streams).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1500);
    expect(streams).toHaveLength(2);
  });

  it('reports missed events when a page is shown after a time without a stream', async () => {
    const { open, streams } = browser();
    const page = open();
    const heard: string[] = [];
    page.live.on(({ type, data }) => void heard.push(type === 'reset' ? `${type} ${data.reason}` : type));
    streams[0]!.open();
    streams[0]!.send('scan', scan('running', 1));
    page.show(false);
    page.show(true);
    expect(heard).toEqual(['scan']);
    streams[1]!.open();
    expect(heard).toEqual(['scan', 'reset returned']);
    // The scan can be finished by now: only running scans are sent again.
    expect(page.live.scanning).toBeNull();
    // A stream that the browser reconnects sends the id of its last event.
    streams[1]!.open();
    expect(heard).toHaveLength(2);
  });

  it('reports no missed events at its first stream', () => {
    const { open, streams } = browser();
    const page = open();
    const heard = vi.fn();
    page.live.on(heard);
    streams[0]!.open();
    expect(heard).not.toHaveBeenCalled();
  });

  it('discards its state at a logout', async () => {
    const { open, streams } = browser();
    const { live, stop } = open();
    streams[0]!.open();
    streams[0]!.send('scan', scan('running', 1));
    expect(live.scanning?.library_id).toBe(3);
    stop();
    expect(live.scans).toEqual({});
    expect(streams[0]!.readyState).toBe(2);
  });
});

describe('ScanWatch', () => {
  function watching() {
    const stream = new Stream();
    const live = new Live({ visible: () => true, source: () => stream, channel: () => null });
    live.start();
    let answer = scan('running', 1);
    const asked = vi.fn(async () => answer);
    const api = {
      scan: vi.fn(async () => ({ job_id: 1 })),
      cancelScan: vi.fn(async () => undefined),
      scanStatus: asked,
    };
    const watch = new ScanWatch(api, live, 3, () => true);
    return { stream, live, watch, asked, say: (status: ScanEvent) => (answer = status) };
  }

  it('stops polling once events arrive', async () => {
    const { stream, watch, asked } = watching();
    stream.open();
    watch.start();
    await vi.advanceTimersByTimeAsync(10);
    stream.send('scan', scan('running', 40));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked.mock.calls.length).toBeLessThan(4);
    stream.send('scan', scan('running', 80));
    expect(watch.status?.scanned).toBe(80);
  });

  it('polls once if events report the scan', async () => {
    const { stream, watch, asked } = watching();
    stream.open();
    watch.start();
    await vi.advanceTimersByTimeAsync(10);
    stream.send('scan', scan('running', 40));
    await vi.advanceTimersByTimeAsync(60_000);
    stream.send('scan', scan('done', 40));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('polls every three seconds while a scan without events runs, and stops at its end', async () => {
    const { stream, watch, asked, say } = watching();
    stream.open();
    const stop = watch.start();
    await vi.advanceTimersByTimeAsync(6500);
    expect(asked.mock.calls.length).toBe(3);
    say(scan('done', 9));
    await vi.advanceTimersByTimeAsync(3000);
    expect(watch.status?.status).toBe('done');
    const calls = asked.mock.calls.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked.mock.calls.length).toBe(calls);
    stop();
  });

  it('does not restart within an effect when a status arrives', async () => {
    const { stream, watch, asked } = watching();
    stream.open();
    const dispose = $effect.root(() => {
      $effect(() => watch.start());
    });
    flushSync();
    for (let n = 0; n < 20; n += 1) {
      await vi.advanceTimersByTimeAsync(10);
      flushSync();
    }
    dispose();
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
