import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Annotation, Card } from '../../../src/api/models';
import { Unreachable } from '../../../src/api/client';
import { sha1 } from '../../../src/lib/sha1';
import { AnnotationStore } from '../../../src/viewers/epub/annotations.svelte';
import { decode, RequestFailed, RemoteFile, remoteEntries } from '../../../src/viewers/epub/book/remote-file';
import { read } from '../../../src/viewers/epub/book/settings.svelte';
import { retryChapters } from '../../../src/viewers/epub/book/chapter-retry';
import { sanitizeStyle } from '../../../src/viewers/epub/book/sanitize';
import { nextInSeries } from '../../../src/viewers/reading/support/next-in-series';
import { PAPERS } from '../../../src/viewers/reading/support/papers';
import { Overscroll } from '../../../src/viewers/reading/support/overscroll';

const signal = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

describe('sha1', () => {
  it('matches the standard at every length around a block', async () => {
    for (const length of [0, 1, 3, 55, 56, 63, 64, 65, 119, 120, 1000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length) & 255);
      expect([...sha1(bytes)]).toEqual([...new Uint8Array(await crypto.subtle.digest('SHA-1', bytes))]);
    }
  });
});

describe('a remote file', () => {
  const bytes = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 31) & 255);
  function serve({ ranges = true } = {}) {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (_url: string, { headers }: { headers: { Range: string } }) => {
      asked.push(headers.Range);
      const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(headers.Range) ?? [];
      const body = ranges ? bytes.slice(Number(from), Number(to) + 1) : bytes;
      return new Response(body, { status: ranges ? 206 : 200 });
    });
    return { asked, file: new RemoteFile('/content', bytes.length, signal) };
  }
  const part = async (file: RemoteFile, start: number, end?: number) =>
    new Uint8Array(await file.slice(start, end).arrayBuffer());

  it('returns the requested bytes across pieces up to its end', async () => {
    const { file } = serve();
    expect(await part(file, 10, 20)).toEqual(bytes.slice(10, 20));
    expect(await part(file, 262_000, 530_000)).toEqual(bytes.slice(262_000, 530_000));
    expect(await part(file, 699_990)).toEqual(bytes.slice(699_990));
    expect(await part(file, 699_990, 800_000)).toHaveLength(10);
    expect(await part(file, 5, 5)).toHaveLength(0);
  });
  it('requests a piece once, and only required pieces', async () => {
    const { file, asked } = serve();
    await Promise.all([part(file, 0, 10), part(file, 100, 200), part(file, 5000, 6000)]);
    expect(asked).toEqual(['bytes=0-262143']);
    await part(file, 699_000);
    expect(asked).toEqual(['bytes=0-262143', 'bytes=524288-699999']);
  });
  it('works with a server without ranges', async () => {
    const { file } = serve({ ranges: false });
    expect(await part(file, 300_000, 300_010)).toEqual(bytes.slice(300_000, 300_010));
  });
  it('caches only the latest pieces', async () => {
    const size = 100 * 262_144;
    let asked = 0;
    vi.stubGlobal('fetch', async () => {
      asked += 1;
      return new Response(new Uint8Array(262_144), { status: 206 });
    });
    const file = new RemoteFile('/content', size, signal);
    for (let piece = 0; piece < 100; piece += 1) await part(file, piece * 262_144, piece * 262_144 + 1);
    await part(file, 99 * 262_144);
    expect(asked).toBe(100);
    await part(file, 0, 1);
    expect(asked).toBe(101);
  });
  it('distinguishes a missing response from an error response', async () => {
    vi.stubGlobal('fetch', async () => {
      throw new TypeError('failed to fetch');
    });
    await expect(part(new RemoteFile('/content', 3, signal), 0)).rejects.toThrow(Unreachable);
  });
  it('requests a failed piece again', async () => {
    const answers = [new Response('', { status: 503 }), new Response('abc', { status: 206 })];
    vi.stubGlobal('fetch', async () => answers.shift());
    const file = new RemoteFile('/content', 3, signal);
    await expect(part(file, 0)).rejects.toThrow(RequestFailed);
    expect(new TextDecoder().decode(await part(file, 0))).toBe('abc');
  });
});

describe('entries of a book', () => {
  it('are read by name, and only existing ones', async () => {
    const asked: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url);
      return url.endsWith('/entries')
        ? Response.json({ items: [{ path: 'OPS/a b#?.xhtml', size: 7 }] })
        : new Response('<p>é</p>');
    });
    const entries = await remoteEntries('/entries', signal);
    expect(entries.getSize('OPS/a b#?.xhtml')).toBe(7);
    expect(await entries.loadText('OPS/a b#?.xhtml')).toBe('<p>é</p>');
    expect(await entries.loadText('OPS/none.xhtml')).toBeNull();
    expect(await entries.loadBlob('OPS/none.png')).toBeNull();
    expect(asked).toEqual(['/entries', '/entries/OPS/a%20b%23%3F.xhtml']);
  });
  it('are decoded in their declared encoding', () => {
    const text = '\ufeff<p>ж</p>';
    const units = [...text].map((letter) => letter.charCodeAt(0));
    expect(decode(Uint8Array.from(units.flatMap((unit) => [unit & 255, unit >> 8])))).toBe('<p>ж</p>');
    expect(decode(Uint8Array.from(units.flatMap((unit) => [unit >> 8, unit & 255])))).toBe('<p>ж</p>');
    const declared = '<?xml version="1.0" encoding="windows-1251"?><p>';
    expect(decode(Uint8Array.from([...new TextEncoder().encode(declared), 0xe6]))).toBe(`${declared}ж`);
    const utf8 = (words: string) => new TextEncoder().encode(words);
    expect(decode(utf8('<?xml version="1.0" encoding="nobody-knows"?>ж'))).toMatch(/ж$/);
    expect(decode(utf8('\ufeffж'))).toBe('ж');
  });
});

describe('a chapter', () => {
  function book(load: () => Promise<string>) {
    const section = { id: 0, size: 1, load };
    const told: string[] = [];
    const stop = new AbortController();
    const patience = {
      signal: stop.signal,
      words: 'not there',
      onwait: (waits: boolean) => void told.push(waits ? 'waits' : 'goes on'),
      onbroken: () => void told.push('broken'),
      pause: async () => undefined,
    };
    const broken = retryChapters({ sections: [section], resolveHref: () => null }, patience);
    return { section, told, broken, stop };
  }
  const failing = (times: number, error: Error) => {
    let left = times;
    return vi.fn(async () => {
      if ((left -= 1) >= 0) throw error;
      return 'blob:page';
    });
  };
  const page = () => {
    vi.stubGlobal('document', {
      implementation: {
        createHTMLDocument: () => ({ createElement: () => ({}), body: { append: () => {} } }),
      },
    });
    vi.stubGlobal(
      'XMLSerializer',
      class {
        serializeToString = () => '<html/>';
      },
    );
  };

  it('loads after the server returns', async () => {
    const load = failing(30, new Unreachable('away'));
    const { section, told, broken } = book(load);
    expect(await section.load()).toBe('blob:page');
    expect(load).toHaveBeenCalledTimes(31);
    expect(told.at(-1)).toBe('goes on');
    expect(broken.size).toBe(0);
  });
  it('is retried a few times if the server fails', async () => {
    const load = failing(3, new RequestFailed(500));
    expect(await book(load).section.load()).toBe('blob:page');
    expect(load).toHaveBeenCalledTimes(4);
  });
  it('is an error page if it is missing, and is requested again next time', async () => {
    page();
    const load = failing(1, new RequestFailed(404));
    const { section, told, broken } = book(load);
    expect(await section.load()).toMatch(/^blob:/);
    expect([told, [...broken]]).toEqual([['broken'], [0]]);
    expect(await section.load()).toBe('blob:page');
    expect(broken.size).toBe(0);
  });
  it('frees its error page when the book is closed', async () => {
    page();
    const revoked = vi.spyOn(URL, 'revokeObjectURL');
    const { section, stop } = book(failing(1, new RequestFailed(404)));
    const address = await section.load();
    expect(revoked).not.toHaveBeenCalled();
    stop.abort();
    expect(revoked.mock.calls).toEqual([[address]]);
    revoked.mockRestore();
  });
  it('is not retried after the book is closed', async () => {
    const { section, stop, told } = book(failing(2, new Unreachable('away')));
    stop.abort();
    await expect(section.load()).rejects.toThrow('away');
    expect(told).toEqual([]);
  });
});

describe('the style sheets of a book', () => {
  it('scale with the reader’s text size', () => {
    expect(sanitizeStyle('p{font-size:12pt}h1{font-size: 24px}small{font-size:.8em}')).toBe(
      'p{font-size:1rem}h1{font-size: 1.5rem}small{font-size:.8em}',
    );
  });
  it('justify text if the reader selects it', () => {
    expect(sanitizeStyle('p{text-align:justify}')).toBe('p{text-align:var(--reader-align, justify)}');
    expect(sanitizeStyle('p{text-align:center}')).toBe('p{text-align:center}');
  });
  it('load nothing from other hosts', () => {
    const away = `@import url(//a.example/x.css);@import "https://a.example/y.css";
      p{background:url( 'http://a.example/1.png')}i{background:url(//a.example/2.png)}`;
    expect(sanitizeStyle(away)).not.toContain('example');
    const own = 'b{background:url("blob:http://here/1")}';
    expect(sanitizeStyle(own)).toBe(own);
  });
});

describe('stored reading settings', () => {
  it('are loaded if they are valid', () => {
    expect(read('{"paper":"night","size":130,"face":"sans","flow":"scroll","justify":false}')).toEqual({
      paper: 'night',
      size: 130,
      face: 'sans',
      flow: 'scroll',
      justify: false,
    });
    expect(read('{"paper":"toString","size":1e9,"line":"2","face":1,"flow":"x","margins":null}')).toEqual({});
    for (const text of [null, '', '[', '7', 'null', '"x"']) expect(read(text)).toEqual({});
  });
});

describe('papers', () => {
  const luminance = (hex: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one: string, other: string) => {
    const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  it.each(Object.entries(PAPERS))('%s has sufficient contrast on all its backgrounds', (_, paper) => {
    for (const ground of [paper.page, paper.panel, paper.well]) {
      expect(contrast(paper.ink, ground)).toBeGreaterThan(7);
      expect(contrast(paper.soft, ground)).toBeGreaterThan(4.5);
    }
    expect(contrast(paper.link, paper.page)).toBeGreaterThan(4.5);
  });
});

describe('annotations', () => {
  const mark = (id: number, part: Partial<Annotation>): Annotation => ({
    id,
    file_id: 70,
    position: 0,
    locator: null,
    type: 'bookmark',
    text: null,
    note: null,
    color: null,
    created_at: '2026-11-21T12:00:00.000000Z',
    ...part,
  });
  function server(items: Annotation[]) {
    let next = 100;
    return {
      annotations: vi.fn(async () => ({ items })),
      annotate: vi.fn(async (_: number, body: object) => mark(next++, body)),
      changeAnnotation: vi.fn(async (_: number, id: number, body: object) => mark(id, body)),
      removeAnnotation: vi.fn(async () => undefined),
    };
  }
  const at = (step: number) => `epubcfi(/6/4!/4/${step}/1:0)`;

  it('belong to this file, in the order of the book', async () => {
    const marks = new AnnotationStore(
      server([
        mark(1, { position: 1, locator: at(20) }),
        mark(2, { file_id: 71 }),
        mark(3, { position: 1, locator: at(4) }),
        mark(4, { position: 0, locator: 'of another program' }),
      ]),
      7,
      70,
    );
    await marks.load(signal);
    expect(marks.all.map(({ id }) => id)).toEqual([4, 3, 1]);
  });
  it('include the bookmarks of a page', async () => {
    const marks = new AnnotationStore(
      server([
        mark(1, { locator: at(4) }),
        mark(2, { locator: at(10) }),
        mark(3, { locator: at(10), type: 'highlight' }),
        mark(4, { locator: at(30) }),
        mark(5, { locator: 'of another program' }),
      ]),
      7,
      70,
    );
    await marks.load(signal);
    expect(marks.within(at(6), at(20)).map(({ id }) => id)).toEqual([2]);
  });
  it('equal the server’s result, and their text is limited', async () => {
    const api = server([]);
    const marks = new AnnotationStore(api, 7, 70);
    const text = '🙂'.repeat(12_000);
    const made = await marks.add({ position: 2, locator: at(2), type: 'highlight', text, color: 'blue' });
    expect([...(made.text ?? '')]).toHaveLength(10_000);
    expect(api.annotate).toHaveBeenCalledWith(7, expect.objectContaining({ file_id: 70, color: 'blue' }));
    await marks.change(made.id, { color: 'pink' });
    expect(marks.all.map(({ color }) => color)).toEqual(['pink']);
    await marks.remove(made.id);
    expect(marks.all).toEqual([]);
  });
  it('are unchanged if the server refuses', async () => {
    const api = server([mark(1, {})]);
    api.removeAnnotation.mockRejectedValue(new Error('no'));
    const marks = new AnnotationStore(api, 7, 70);
    await marks.load(signal);
    await expect(marks.remove(1)).rejects.toThrow('no');
    expect(marks.all).toHaveLength(1);
  });
});

describe('the next volume of a series', () => {
  const card = (id: number, missing = false) => ({ id, missing }) as Card;
  const of = (items: Card[]) => ({
    items: async () => ({ items, total: items.length, offset: 0, limit: 500 }),
  });
  it('is the next present one', async () => {
    const api = of([card(1), card(2), card(3, true), card(4)]);
    expect((await nextInSeries(api, { id: 2, series_id: 9 }, signal))?.id).toBe(4);
    expect(await nextInSeries(api, { id: 4, series_id: 9 }, signal)).toBeNull();
    expect(await nextInSeries(api, { id: 8, series_id: 9 }, signal)).toBeNull();
  });
  it('is empty without a series, without a request', async () => {
    const api = { items: vi.fn() };
    expect(await nextInSeries(api, { id: 2, series_id: null }, signal)).toBeNull();
    expect(api.items).not.toHaveBeenCalled();
  });
});

describe('input at the end of a long page', () => {
  function pusher() {
    const state = { end: true, pushes: 0 };
    const push = new Overscroll(
      () => state.end,
      () => (state.pushes += 1),
    );
    const swipe = (from: number, to: number) => {
      push.touchstart({ touches: [{ clientY: from }] } as unknown as TouchEvent);
      push.touchend({ touches: [], changedTouches: [{ clientY: to }] } as unknown as TouchEvent);
    };
    const turn = (deltaY: number, timeStamp: number) =>
      push.wheel({ deltaY, timeStamp, ctrlKey: false } as unknown as WheelEvent);
    return { state, swipe, turn };
  }
  it('is a swipe that starts and ends at the end', () => {
    const { state, swipe } = pusher();
    swipe(500, 480);
    swipe(400, 500);
    state.end = false;
    swipe(500, 300);
    expect(state.pushes).toBe(0);
    state.end = true;
    swipe(500, 300);
    expect(state.pushes).toBe(1);
  });
  it('is a wheel turn some time after the end was reached, not its remaining momentum', () => {
    const { state, turn } = pusher();
    state.end = false;
    turn(120, 1000);
    state.end = true;
    for (let at = 1050; at < 1500; at += 50) turn(120, at);
    expect(state.pushes).toBe(0);
    for (let at = 1600; at < 1900; at += 50) turn(120, at);
    expect(state.pushes).toBe(1);
  });
});
