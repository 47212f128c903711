/** Finds the next item of a series. */
import type { ApiClient } from '../../../api/client';
import type { Item, Card } from '../../../api/models';

export async function nextInSeries(
  api: Pick<ApiClient, 'items'>,
  item: Pick<Item, 'id' | 'series_id'>,
  signal: AbortSignal,
): Promise<Card | null> {
  if (item.series_id === null) return null;
  const { items } = await api.items({ series: item.series_id, sort: 'series', limit: 500 }, signal);
  const at = items.findIndex((one) => one.id === item.id);
  return at < 0 ? null : (items.slice(at + 1).find((one) => !one.missing) ?? null);
}
