/** Lines for the changes that a match would make. */
import type { components } from '../../api/schema';

export type FieldChange = components['schemas']['FieldChange'];

const FIELDS = [
  'title',
  'year',
  'authors',
  'description',
  'series',
  'genres',
  'people',
  'episodes',
  'external_ids',
  'details.original_title',
  'details.tagline',
  'details.released',
  'details.edition_released',
  'details.runtime',
  'details.studios',
  'details.countries',
  'details.collection',
  'details.certificates',
  'details.form',
  'details.chapters',
  'details.links',
] as const;
type Field = (typeof FIELDS)[number];

/** Maximum number of values of one kind; the others are counted. */
const MOST = 12;

/** Returns true for a field with a text. A newer server may send others. */
export const hasText = (field: string): field is Field => (FIELDS as readonly string[]).includes(field);

export interface ValueLines {
  /** True if the values are several ones, of which only the removed and the added ones are listed. */
  isList: boolean;
  removed: string[];
  added: string[];
  /** Numbers of further values that are not listed. */
  more: { removed: number; added: number };
}

/** Returns the values that a change removes and adds. Both are empty if it only changes their order. */
export function valueLines({ before, after }: Pick<FieldChange, 'before' | 'after'>): ValueLines {
  const [old, now] = [new Set(before), new Set(after)];
  const removed = before.filter((value) => !now.has(value));
  const added = after.filter((value) => !old.has(value));
  return {
    isList: before.length > 1 || after.length > 1,
    removed: removed.slice(0, MOST),
    added: added.slice(0, MOST),
    more: { removed: Math.max(0, removed.length - MOST), added: Math.max(0, added.length - MOST) },
  };
}
