/** Comics: spreads, pictures and settings. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ComicBook } from '../../../src/viewers/comic/comic-book.svelte';
import { ComicPictures } from '../../../src/viewers/comic/pictures.svelte';
import { read as readLooking } from '../../../src/viewers/comic/settings.svelte';
import { spreadOf, spreads, widthFor } from '../../../src/viewers/comic/spreads';
import { NoPages } from '../../../src/viewers/reading/support/no-pages';

afterEach(() => vi.unstubAllGlobals());

describe('the spreads of a comic', () => {
  const pages = (wide: number[], count = 8) => Array.from({ length: count }, (_, n) => wide.includes(n));
  it('show the cover and wide pages alone and the others in pairs', () => {
    expect(spreads(pages([3]), true)).toEqual([[0], [1, 2], [3], [4, 5], [6, 7]]);
    expect(spreads(pages([2, 5]), true)).toEqual([[0], [1], [2], [3, 4], [5], [6, 7]]);
    expect(spreads(pages([], 4), true)).toEqual([[0], [1, 2], [3]]);
  });
  it('are single pages in a narrow window', () => {
    expect(spreads(pages([1], 3), false)).toEqual([[0], [1], [2]]);
    expect(spreads([], true)).toEqual([]);
  });
  it('contain every page once, in order', () => {
    for (let bits = 0; bits < 256; bits += 1) {
      const wide = pages(Array.from({ length: 8 }, (_, n) => (bits & (1 << n) ? n : -1)));
      expect(spreads(wide, true).flat()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    }
  });
  it('are found by each of their pages', () => {
    const all = spreads(pages([3]), true);
    expect([0, 1, 2, 3, 7, 99].map((page) => spreadOf(all, page))).toEqual([0, 1, 1, 2, 4, 4]);
    expect(spreadOf([], 3)).toBe(0);
  });
});

describe('a comic without pages', () => {
  it('fails for this reason, and has no page to show', async () => {
    vi.stubGlobal('innerWidth', 1440);
    vi.stubGlobal('innerHeight', 900);
    const item = { id: 1, kind: 'books', facts: {} } as ConstructorParameters<typeof ComicBook>[1];
    const comic = new ComicBook({ pages: async () => ({ items: [] }) }, item, 100, 0);
    comic.load();
    await Promise.resolve();
    expect(comic.failure).toBeInstanceOf(NoPages);
    expect([comic.pages, comic.page]).toEqual([null, 0]);
  });
});

describe('pictures of a comic', () => {
  it('are requested in few sizes, never smaller than displayed', () => {
    expect([1, 480, 481, 1900, 3200, 3201].map(widthFor)).toEqual([480, 480, 720, 2160, 3200, null]);
  });
});

describe('stored comic settings', () => {
  it('are loaded if they are valid', () => {
    expect(readLooking('{"mode":"strip","fit":"width","way":"rtl"}')).toEqual({
      mode: 'strip',
      fit: 'width',
    });
    for (const text of [null, '', '[', 'null', '7', '{"mode":"x","fit":1}'])
      expect(readLooking(text)).toEqual({});
  });
});

describe('failed comic pages', () => {
  it('are retried a few times', () => {
    vi.useFakeTimers();
    const pictures = new ComicPictures();
    let shown = 0;
    for (let second = 0; second < 600; second += 1) {
      if (!pictures.isBroken(3)) {
        shown += 1;
        pictures.broke(3);
      }
      vi.advanceTimersByTime(1000);
    }
    expect(shown).toBe(5);
    pictures.retry(3);
    expect(pictures.isBroken(3)).toBe(false);
    vi.useRealTimers();
  });
  it('are requested after the network returns', () => {
    vi.stubGlobal('addEventListener', (_: string, act: () => void) => (back = act));
    vi.stubGlobal('removeEventListener', () => {});
    let back = () => {};
    const pictures = new ComicPictures();
    const stop = pictures.follow();
    pictures.broke(3);
    pictures.broke(4);
    back();
    expect([pictures.isBroken(3), pictures.isBroken(4)]).toEqual([false, false]);
    stop();
  });
});
