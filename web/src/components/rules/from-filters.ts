/** Turns the filters of a list into the rule of a smart collection. */
import type { ItemQuery } from '../../api/client';
import type { Rule, RuleMember } from '../../api/lists/rule';

/** Names of genres and tags by their ids. */
export type FilterNames = Record<'genre' | 'tag', ReadonlyMap<string, string>>;

const listOf = (text: string | null | undefined) => (text ?? '').split(',').filter((one) => one !== '');

/** Returns the rule that selects the same items, in the same order. */
export function ruleFrom(
  filter: ItemQuery,
  names: FilterNames,
  order: { sort: string; order: 'asc' | 'desc' },
): Rule {
  return {
    all: [...choices(filter), ...named(filter, names), ...numbers(filter), ...flags(filter)],
    ...order,
  };
}

/** A condition with one value, or with a list of several ones. */
function any(field: string, values: readonly unknown[]): RuleMember {
  return values.length === 1
    ? { field, op: 'is', value: values[0] }
    : { field, op: 'one_of', value: [...values] };
}

function choices(filter: ItemQuery): RuleMember[] {
  const found: RuleMember[] = [];
  for (const field of ['kind', 'subkind', 'language', 'state'] as const) {
    const values = listOf(filter[field]);
    if (values.length > 0) found.push(any(field, values));
  }
  if (filter.library != null) found.push(any('library', [filter.library]));
  const engines = listOf(filter.engines);
  if (engines.length > 0) found.push(any('plays', engines));
  return found;
}

/** Ids without a name belong to no item any more. Without any name, the condition stays without a value. */
function named(filter: ItemQuery, names: FilterNames): RuleMember[] {
  return (['genre', 'tag'] as const).flatMap((field) => {
    const ids = listOf(filter[field]);
    if (ids.length === 0) return [];
    return [any(field, [...new Set(ids.flatMap((id) => names[field].get(id) ?? []))])];
  });
}

function numbers(filter: ItemQuery): RuleMember[] {
  const found: RuleMember[] = [];
  const { decade, year_from: from, year_to: to, rating_min: rating } = filter;
  if (decade != null) found.push({ field: 'year', op: 'between', value: [decade, decade + 9] });
  if (from != null && to != null) found.push({ field: 'year', op: 'between', value: [from, to] });
  else if (from != null) found.push({ field: 'year', op: 'greater', value: from - 1 });
  else if (to != null) found.push({ field: 'year', op: 'less', value: to + 1 });
  if (rating != null) found.push({ field: 'rating', op: 'greater', value: rating - 1 });
  return found;
}

function flags(filter: ItemQuery): RuleMember[] {
  return (['favourite', 'missing'] as const)
    .filter((field) => filter[field] === true)
    .map((field) => ({ field, op: 'is', value: true }));
}
