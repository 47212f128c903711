/** The one wash of colour behind an item: its cover's main colour, or its drawn cover's. */
import type { ItemCard, MediaType } from '../api/types';
import { tintOf } from './palette';

export function washOf(item: Pick<ItemCard, 'title' | 'authors' | 'cover'>, kind: MediaType): string {
  const own = item.cover?.tint;
  const tint = own ?? tintOf({ title: item.title, authors: item.authors, hue: kind.hue });
  // Lightness and strength belong to the theme, only the hue to the cover.
  return `oklch(from ${tint} var(--wash-l) min(c, var(--wash-c)) h)`;
}
