/** What to read after the end: the next of the series. */
import type { ApiClient } from '../../api/client';
import type { Item, ItemCard } from '../../api/types';

export async function following(
  api: Pick<ApiClient, 'items'>,
  item: Pick<Item, 'id' | 'series_id'>,
  signal: AbortSignal,
): Promise<ItemCard | null> {
  if (item.series_id === null) return null;
  const { items } = await api.items({ series: item.series_id, sort: 'series', limit: 500 }, signal);
  const at = items.findIndex((one) => one.id === item.id);
  return at < 0 ? null : (items.slice(at + 1).find((one) => !one.missing) ?? null);
}
