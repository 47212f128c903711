/** The facets of a list, and the names of their values. */
import { body, type ItemQuery } from '../../api/client';
import type { FacetValue, Facets, MediaType } from '../../api/models';
import type { paths } from '../../api/schema';
import type { Query } from '../../api/query.svelte';
import type { App } from '../../app/context';
import { t } from '../../i18n';
import { yearText } from '../../i18n/format';
import '../../i18n/lists/filters';

/**
 * Returns a derived value that continues from its previous one, such as a list that stays until the next one arrives.
 * `step` can run again for the same state.
 */
export function continued<T>(first: T, step: (previous: T) => T): () => T {
  let previous = first;
  const value = $derived.by(() => (previous = step(previous)));
  return () => value;
}

type FacetQuery = paths['/api/v1/items/facets']['get']['parameters']['query'];

/** A response of `/items/facets`; its key follows the rules of item lists. */
export function facetsOf({ api, cache }: Pick<App, 'api' | 'cache'>, filter: ItemQuery): Query<Facets> {
  const params = { query: filter as FacetQuery };
  return cache.get(`items:${JSON.stringify(filter)}:facets`, (signal) =>
    body(api.http.GET('/api/v1/items/facets', { params, signal })),
  );
}

/** Returns the list without its filters of years, whose facet then shows all decades. */
export function withoutYears(filter: ItemQuery): ItemQuery {
  return { ...filter, decade: null, year_from: null, year_to: null };
}

export function subkindName(kind: MediaType, id: string): string {
  return kind.subkinds.find((one) => one.id === id)?.label_plural ?? id;
}

/** `1810s`. A decade before Christ has no short name: `380 BC to 371 BC`. */
export function decadeName(first: number): string {
  if (first >= 0) return t('filters.decadeOf', { decade: String(first) });
  return t('filters.years', { from: yearText(first), to: yearText(first + 9) });
}

/** Returns the text of a range of years: decades if it contains only whole ones. */
export function yearsText(from: number | null, to: number | null): string {
  if (from === null) return t('filters.to', { year: yearText(to ?? 0) });
  if (to === null) return t('filters.from', { year: yearText(from) });
  const areDecades = from >= 0 && from % 10 === 0 && (to + 1) % 10 === 0;
  if (areDecades && to - from === 9) return decadeName(from);
  const [first, last] = areDecades ? [decadeName(from), decadeName(to - 9)] : [yearText(from), yearText(to)];
  return t('filters.years', { from: first, to: last });
}

export const textValues = (values: readonly FacetValue[]) =>
  values.map(({ value, ...rest }) => ({ ...rest, value: String(value) }));
