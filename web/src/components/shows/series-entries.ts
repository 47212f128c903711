/** The entries of a series: its items by number, and the numbers that the library lacks. */
import type { SeriesCard } from '../../api/models';
import { format } from '../../i18n/locale';

export type SeriesEntry =
  { card: SeriesCard; gap: null; /** Index among the items. */ at: number } | { card: null; gap: number };

/** Inserts each gap before the first item with a greater number. Items without a number are last. */
export function seriesEntries(cards: readonly SeriesCard[], gaps: readonly number[]): SeriesEntry[] {
  const open = gaps.toSorted((a, b) => a - b);
  const entries: SeriesEntry[] = [];
  for (const [at, card] of cards.entries()) {
    while (open[0] !== undefined && (card.series_index === null || open[0] < card.series_index))
      entries.push({ card: null, gap: open.shift() as number });
    entries.push({ card, gap: null, at });
  }
  return entries;
}

/** `3`, `2.5` */
export function numberText(number: number): string {
  return format(Intl.NumberFormat, { maximumFractionDigits: 3, useGrouping: false }).format(number);
}
