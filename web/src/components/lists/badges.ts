import type { Card } from '../../api/models';
import { yearText } from '../../i18n/format';

/** Returns the known values and the badges of an item as one line, for example below its title. A number is a year. */
export function withBadges(item: Pick<Card, 'badges'>, values: (string | number | null)[]): string {
  const labels = item.badges.map(({ label }) => label);
  const texts = values.map((value) => (typeof value === 'number' ? yearText(value) : value));
  return [...texts, ...labels].filter(Boolean).join(' · ');
}
