import { describe, expect, it } from 'vitest';
import type { SeriesCard } from '../../../../src/api/models';
import { numberText, seriesEntries } from '../../../../src/components/shows/series-entries';

const card = (id: number, series_index: number | null) => ({ id, series_index }) as SeriesCard;
const told = (cards: SeriesCard[], gaps: number[]) =>
  seriesEntries(cards, gaps).map((entry) => (entry.card ? entry.card.id : `gap ${entry.gap}`));

describe('the entries of a series', () => {
  it('contain each gap before the next greater number', () => {
    const cards = [card(11, 1), card(12, 2), card(13, 2.5), card(15, 5), card(16, 6)];
    expect(told(cards, [4, 3])).toEqual([11, 12, 13, 'gap 3', 'gap 4', 15, 16]);
  });
  it('end with the items without a number', () => {
    expect(told([card(11, 1), card(14, 4), card(20, null)], [2, 3])).toEqual([11, 'gap 2', 'gap 3', 14, 20]);
    expect(told([], [])).toEqual([]);
  });
  it('have the index of their item', () => {
    const entries = seriesEntries([card(11, 1), card(13, 3)], [2]);
    expect(entries.map((entry) => (entry.card ? entry.at : null))).toEqual([0, null, 1]);
  });
});

describe('the number of an item', () => {
  it('is shown without needless digits', () => {
    expect([1, 2.5, 1000].map(numberText)).toEqual(['1', '2.5', '1000']);
  });
});
