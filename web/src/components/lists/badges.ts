import type { Card } from '../../api/models';

/** Returns the known values and the badges of an item as one line, for example below its title. */
export function withBadges(item: Pick<Card, 'badges'>, values: (string | number | null)[]): string {
  const labels = item.badges.map(({ label }) => label);
  return [...values, ...labels].filter(Boolean).join(' · ');
}
