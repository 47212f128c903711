/** The fields of conditions with their operators. A new field is one line here, with its text. */
import type { Key } from '../../i18n';
import '../../i18n/lists/filters';
import '../../i18n/lists/grids';
import '../../i18n/lists/rules';

export type FieldType = 'text' | 'choice' | 'number' | 'date' | 'flag';
/** The source of the choices of a field. */
export type ChoiceSource = 'kind' | 'subkind' | 'state' | 'library' | 'engine';

export interface Field {
  id: string;
  text: Key;
  type: FieldType;
  ops: readonly string[];
  choices?: ChoiceSource;
  /** The text after a number. */
  unit?: Key;
  /** Values of the API per unit of the control: 60 for minutes that the API counts in seconds. */
  factor?: number;
}

const TEXT = ['is', 'is_not', 'contains', 'one_of'];
const CHOICE = ['is', 'is_not', 'one_of'];
const NUMBER = ['greater', 'less', 'is', 'is_not', 'between'];
const DATE = ['within_days', 'after', 'before', 'between'];

export const FIELDS: readonly Field[] = [
  { id: 'title', text: 'sort.title', type: 'text', ops: TEXT },
  { id: 'author', text: 'sort.author', type: 'text', ops: TEXT },
  { id: 'series', text: 'sort.series', type: 'text', ops: TEXT },
  { id: 'genre', text: 'filters.genre', type: 'text', ops: TEXT },
  { id: 'tag', text: 'filters.tag', type: 'text', ops: TEXT },
  { id: 'language', text: 'filters.language', type: 'text', ops: TEXT },
  { id: 'year', text: 'sort.year', type: 'number', ops: NUMBER },
  { id: 'rating', text: 'sort.rating', type: 'number', ops: NUMBER, unit: 'rule.ofTen' },
  { id: 'duration', text: 'sort.duration', type: 'number', ops: NUMBER, unit: 'rule.minutes', factor: 60 },
  { id: 'pages', text: 'sort.pages', type: 'number', ops: NUMBER },
  { id: 'size', text: 'sort.size', type: 'number', ops: NUMBER, unit: 'rule.megabytes', factor: 1_000_000 },
  { id: 'kind', text: 'rule.kind', type: 'choice', ops: CHOICE, choices: 'kind' },
  { id: 'subkind', text: 'filters.type', type: 'choice', ops: CHOICE, choices: 'subkind' },
  { id: 'state', text: 'filters.state', type: 'choice', ops: CHOICE, choices: 'state' },
  { id: 'library', text: 'browse.library', type: 'choice', ops: CHOICE, choices: 'library' },
  { id: 'added_at', text: 'sort.added', type: 'date', ops: DATE },
  { id: 'finished_at', text: 'rule.finished', type: 'date', ops: DATE },
  { id: 'favourite', text: 'rule.favourite', type: 'flag', ops: ['is'] },
  { id: 'missing', text: 'browse.missing', type: 'flag', ops: ['is'] },
  { id: 'codec', text: 'rule.codec', type: 'text', ops: TEXT },
  { id: 'plays', text: 'rule.plays', type: 'choice', ops: ['one_of', 'is'], choices: 'engine' },
];

export const fieldOf = (id: string): Field | undefined => FIELDS.find((field) => field.id === id);

const OPS: Readonly<Record<string, Key>> = {
  is: 'rule.is',
  is_not: 'rule.isNot',
  contains: 'rule.contains',
  one_of: 'rule.oneOf',
  greater: 'rule.greater',
  less: 'rule.less',
  between: 'rule.between',
  before: 'rule.before',
  after: 'rule.after',
  within_days: 'rule.withinDays',
};
export const opText = (op: string): Key | undefined => (Object.hasOwn(OPS, op) ? OPS[op] : undefined);

/** Number of values of an operator; null for any number from 1. */
export function valuesOf(op: string): number | null {
  if (op === 'one_of') return null;
  return op === 'between' ? 2 : 1;
}

/** Largest number of values of `one_of`. */
export const MOST_VALUES = 100;
