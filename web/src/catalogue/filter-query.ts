/** The filters of an item list, as the address keeps them. Values that no server can know are ignored. */
import type { ItemQuery } from '../api/client';
import type { MediaType } from '../api/models';

/** Filters with several values; an item needs one of them. */
export type ListFilter = 'subkind' | 'genre' | 'tag' | 'language';
type NumberFilter = 'library' | 'decade' | 'year_from' | 'year_to' | 'rating_min';

/** Largest number of values that the server accepts. */
const MOST = 100;
const YEARS: readonly [number, number] = [-10_000, 10_000];
const ID = /^[1-9]\d{0,14}$/;
const SYNTAX: Record<ListFilter, RegExp> = {
  subkind: /./,
  genre: ID,
  tag: ID,
  language: /^[a-z]{2,8}$/,
};
const RANGES: Record<NumberFilter, readonly [number, number]> = {
  library: [1, Number.MAX_SAFE_INTEGER],
  decade: YEARS,
  year_from: YEARS,
  year_to: YEARS,
  rating_min: [1, 10],
};
const STATES = ['started', 'unstarted', 'finished'];

/** A query without filters. */
export const NO_FILTERS: Readonly<Record<string, null>> = Object.fromEntries(
  [...Object.keys(SYNTAX), ...Object.keys(RANGES), 'state', 'favourite', 'plays', 'missing'].map((name) => [
    name,
    null,
  ]),
);

/** Returns the values of a filter, each once. */
export function valuesOf(query: URLSearchParams, name: ListFilter): string[] {
  const values = (query.get(name) ?? '').split(',').map((value) => value.trim());
  return [...new Set(values)].filter((value) => SYNTAX[name].test(value)).slice(0, MOST);
}

/** Returns the number of a filter, or null if it has none. */
export function numberOf(query: URLSearchParams, name: NumberFilter): number | null {
  const text = query.get(name) ?? '';
  const [low, high] = RANGES[name];
  const value = /^-?\d+$/.test(text) ? Number(text) : NaN;
  if (!(value >= low && value <= high) || (name === 'decade' && value % 10 !== 0)) return null;
  return value;
}

export function stateOf(query: URLSearchParams): string | null {
  return STATES.find((state) => state === query.get('state')) ?? null;
}

export function isOn(query: URLSearchParams, name: string): boolean {
  return query.get(name) === 'true';
}

/** Returns the known subkinds among the chosen ones: the address can be from another version. */
export function subkindsOf(query: URLSearchParams, kind: MediaType | undefined): string[] {
  const chosen = valuesOf(query, 'subkind');
  return (kind?.subkinds ?? []).map(({ id }) => id).filter((id) => chosen.includes(id));
}

/** Returns the change of the address that adds a value to a filter, or removes it. */
export function toggled(
  query: URLSearchParams,
  name: ListFilter,
  value: string,
): Record<string, string | null> {
  const values = valuesOf(query, name);
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return { [name]: next.join(',') || null };
}

/** Returns the filters of a request. `engines` is the list of this device's engines, or null if nothing plays. */
export function filterOf(
  query: URLSearchParams,
  kind: MediaType | undefined,
  engines: string | null,
): ItemQuery {
  const list = (values: string[]) => values.join(',') || null;
  return {
    kind: kind?.id ?? null,
    subkind: list(subkindsOf(query, kind)),
    library: numberOf(query, 'library'),
    genre: list(valuesOf(query, 'genre')),
    tag: list(valuesOf(query, 'tag')),
    language: list(valuesOf(query, 'language')),
    decade: numberOf(query, 'decade'),
    year_from: numberOf(query, 'year_from'),
    year_to: numberOf(query, 'year_to'),
    rating_min: numberOf(query, 'rating_min'),
    state: stateOf(query),
    favourite: isOn(query, 'favourite') ? true : null,
    engines: isOn(query, 'plays') ? engines : null,
    missing: isOn(query, 'missing') ? true : null,
  };
}

/** Returns true if a filter other than the kind applies. */
export function narrows(filter: ItemQuery): boolean {
  return Object.entries(filter).some(([name, value]) => name !== 'kind' && value !== null);
}
