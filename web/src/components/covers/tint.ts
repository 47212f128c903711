/** The tint behind an item: the main colour of its cover or its drawn cover. */
import type { Card, MediaType } from '../../api/models';
import { tintOf } from './palette';

export function tintStyle(item: Pick<Card, 'title' | 'authors' | 'cover'>, kind: MediaType): string {
  const own = item.cover?.tint;
  const tint = own ?? tintOf({ title: item.title, authors: item.authors, hue: kind.hue });
  // The theme defines lightness and saturation; the cover only the hue.
  return `oklch(from ${tint} var(--tint-l) min(c, var(--tint-c)) h)`;
}
