/** PDF: the layout of pages, and matches in their text. */
import { describe, expect, it } from 'vitest';
import { pageAt, readAt, scaleFor, stepped, tops } from '../../../src/viewers/pdf/page-layout';
import { occurrences } from '../../../src/viewers/pdf/text-match';

describe('PDF page layout', () => {
  const pages = [100, 300, 200].map((height) => ({ width: 200, height }));
  it('places pages below each other with gaps', () => {
    expect(tops(pages, 2)).toEqual([16, 230, 844, 1260]);
    expect(tops([], 2)).toEqual([18]);
  });
  it('returns the page at each height', () => {
    const edges = tops(pages, 2);
    expect([0, 16, 229, 230, 843, 844, 9999].map((y) => pageAt(edges, y))).toEqual([0, 0, 0, 1, 1, 2, 2]);
    expect(pageAt(tops([], 1), 50)).toBe(0);
  });
  it('returns the first fully visible page, otherwise the most visible one', () => {
    const edges = tops(pages, 2); // 16-216, 230-830, 844-1244, all 1260
    expect([0, 17, 300, 600].map((y) => readAt(edges, y, 500))).toEqual([0, 1, 1, 2]);
    expect(readAt(edges, 0, 5000)).toBe(0);
    expect(readAt(tops([], 1), 0, 500)).toBe(0);
  });
  it('returns each of many short pages that is opened, and the last one at the end', () => {
    const short = Array.from({ length: 9 }, () => ({ width: 200, height: 50 }));
    const edges = tops(short, 2);
    const most = (edges.at(-1) ?? 0) - 500;
    for (let page = 0; (edges[page] ?? 0) - 16 < most; page += 1) {
      expect(readAt(edges, (edges[page] ?? 0) - 16, 500)).toBe(page);
    }
    expect(readAt(edges, most, 500)).toBe(8);
  });
  it('fits pages by width or as a whole', () => {
    const page = { width: 600, height: 800 };
    expect(scaleFor('auto', page, { width: 390, height: 700 })).toBeCloseTo(358 / 600);
    expect(600 * scaleFor('auto', page, { width: 3000, height: 900 })).toBeLessThan(1300);
    expect(800 * scaleFor('page', page, { width: 3000, height: 900 })).toBeCloseTo(868);
    expect(scaleFor(1, page, { width: 390, height: 700 })).toBeCloseTo(96 / 72);
  });
  it('zooms in steps within its limits', () => {
    const scale = 96 / 72;
    expect([stepped(scale, 1), stepped(scale, -1), stepped(1.1 * scale, 1)]).toEqual([1.25, 0.8, 1.25]);
    expect([stepped(4 * scale, 1), stepped(9 * scale, 1), stepped(0.3 * scale, -1)]).toEqual([5, 5, 0.25]);
  });
});

describe('words on a page', () => {
  it('match regardless of accents, case and spaces', () => {
    const text = 'Une  Île,\nune ILE: l’île';
    expect(occurrences(text, 'ile').map(([from, to]) => text.slice(from, to))).toEqual(['Île', 'ILE', 'île']);
    expect(occurrences(text, ' une  ÎLE').map(([from, to]) => text.slice(from, to))).toEqual([
      'Une  Île',
      'une ILE',
    ]);
    expect(occurrences('ﬁne ﬁne', 'fin')).toEqual([
      [0, 2],
      [4, 6],
    ]);
  });
  it('are empty for an empty query', () => {
    expect(occurrences('text', '')).toEqual([]);
    expect(occurrences('text', ' \n')).toEqual([]);
    expect(occurrences('', 'text')).toEqual([]);
  });
});
