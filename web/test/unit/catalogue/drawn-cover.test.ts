import { describe, expect, it } from 'vitest';
import { coverArt } from '../../../src/components/covers/drawn-cover';
import { measure, setTitle } from '../../../src/components/covers/lettering';
import { proportions, shelfWidth, sources } from '../../../src/catalogue/cover-size';
import type { MediaType } from '../../../src/api/models';

const book = { title: 'Moby-Dick', authors: 'Herman Melville', hue: 78, aspect: 2 / 3 };
const titles = Array.from({ length: 300 }, (_, index) => `Title number ${index}`);

describe('coverArt', () => {
  it('draws the same cover for the same text', () => {
    expect(coverArt(book)).toEqual(coverArt({ ...book }));
  });
  it('draws another for another author', () => {
    expect(coverArt({ ...book, authors: 'Somebody Else' })).not.toEqual(coverArt(book));
  });
  it('separates title and author', () => {
    const one = coverArt({ ...book, title: 'AB', authors: 'C' });
    const other = coverArt({ ...book, title: 'A', authors: 'BC' });
    expect(one.marks).not.toEqual(other.marks);
  });
  it('uses all eight motifs', () => {
    const outline = (d = '') => d.replace(/[\d. -]+/g, '');
    const kinds = new Set(
      titles.map((title) => {
        const { marks } = coverArt({ ...book, title });
        return `${outline(marks.at(0)?.d)} ${outline(marks.at(-1)?.d)} ${marks.length > 12}`;
      }),
    );
    expect(kinds.size).toBe(8);
  });
  it.each([2 / 3, 1, 5 / 7, 7 / 5, 16 / 9])('keeps its text within a cover of aspect %f', (aspect) => {
    for (const title of [
      ...titles.slice(0, 40),
      'A very long title that goes on, and on, and on, until nobody reads it any more',
    ]) {
      const art = coverArt({ ...book, title, aspect });
      for (const line of art.lines) {
        expect(line.y).toBeGreaterThan(0);
        expect(line.y).toBeLessThan(art.height);
        expect(measure(line.text) * line.size).toBeLessThanOrEqual(art.width);
      }
    }
  });
  it('draws a work without title or author', () => {
    expect(coverArt({ ...book, title: '', authors: '' }).lines).toEqual([]);
  });
});

describe('setTitle', () => {
  it('sets short titles large and long ones small', () => {
    const short = setTitle('Emma', 160, 90);
    const long = setTitle('Twenty Thousand Leagues Under the Sea', 160, 90);
    expect(short.lines).toEqual(['Emma']);
    expect(long.size).toBeLessThan(short.size);
    expect(long.lines.join(' ')).toBe('Twenty Thousand Leagues Under the Sea');
  });
  it('breaks text without spaces', () => {
    expect(setTitle('銀河鉄道の夜銀河鉄道の夜', 160, 90).lines.length).toBeGreaterThan(1);
  });
  it('shortens long text with an ellipsis', () => {
    const set = setTitle('word '.repeat(80), 160, 60);
    expect(set.lines.at(-1)).toMatch(/…$/);
  });
});

describe('cover proportions', () => {
  const kind = { aspect: 2 / 3 } as MediaType;
  it('equal those of the cover image', () => {
    expect(proportions({ url: '', width: 300, height: 300, tint: '#777777' }, kind)).toBe(1);
    expect(proportions(null, kind)).toBe(2 / 3);
  });
  it('are limited on a shelf', () => {
    expect(proportions({ url: '', width: 9000, height: 100, tint: '#777777' }, kind)).toBe(2.4);
    expect(proportions({ url: '', width: 10, height: 0, tint: '#777777' }, kind)).toBe(2 / 3);
    expect(proportions({ url: '', width: 1, height: 1, tint: '#777777' }, kind)).toBe(2 / 3);
  });
  it('make wide covers wider and less tall on the shelf', () => {
    expect(shelfWidth(16 / 9)).toBeGreaterThan(shelfWidth(1));
    expect(shelfWidth(16 / 9) / (16 / 9)).toBeLessThan(shelfWidth(2 / 3) / (2 / 3));
  });
});

describe('image sources', () => {
  it('include each existing size with its width', () => {
    const offered = (width: number) => sources({ url: '/c?v=1', width, height: 100, tint: '#777777' });
    expect(offered(2000)).toBe('/c?v=1&size=small 240w, /c?v=1&size=medium 480w, /c?v=1&size=large 960w');
    expect(offered(300)).toBe('/c?v=1&size=small 240w, /c?v=1&size=medium 300w');
    expect(offered(480)).toBe('/c?v=1&size=small 240w, /c?v=1&size=medium 480w');
    expect(offered(90)).toBe('/c?v=1&size=small 90w');
  });
});
