/** The fields of conditions with their operators. A new field is one line here, with its text. */
import type { Key } from '../../i18n';
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
  { id: 'title', text: 'rule.title', type: 'text', ops: TEXT },
  { id: 'author', text: 'rule.author', type: 'text', ops: TEXT },
  { id: 'series', text: 'rule.series', type: 'text', ops: TEXT },
  { id: 'genre', text: 'rule.genre', type: 'text', ops: TEXT },
  { id: 'tag', text: 'rule.tag', type: 'text', ops: TEXT },
  { id: 'language', text: 'rule.language', type: 'text', ops: TEXT },
  { id: 'year', text: 'rule.year', type: 'number', ops: NUMBER },
  { id: 'rating', text: 'rule.rating', type: 'number', ops: NUMBER, unit: 'rule.ofTen' },
  { id: 'duration', text: 'rule.duration', type: 'number', ops: NUMBER, unit: 'rule.minutes', factor: 60 },
  { id: 'pages', text: 'rule.pages', type: 'number', ops: NUMBER },
  { id: 'size', text: 'rule.size', type: 'number', ops: NUMBER, unit: 'rule.megabytes', factor: 1_000_000 },
  { id: 'kind', text: 'rule.kind', type: 'choice', ops: CHOICE, choices: 'kind' },
  { id: 'subkind', text: 'rule.subkind', type: 'choice', ops: CHOICE, choices: 'subkind' },
  { id: 'state', text: 'rule.state', type: 'choice', ops: CHOICE, choices: 'state' },
  { id: 'library', text: 'rule.library', type: 'choice', ops: CHOICE, choices: 'library' },
  { id: 'added_at', text: 'rule.added', type: 'date', ops: DATE },
  { id: 'finished_at', text: 'rule.finished', type: 'date', ops: DATE },
  { id: 'favourite', text: 'rule.favourite', type: 'flag', ops: ['is'] },
  { id: 'missing', text: 'rule.missing', type: 'flag', ops: ['is'] },
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

export interface RuleSort {
  id: string;
  text: Key;
  /** The usual direction. */
  order: 'asc' | 'desc';
}
export const SORTS: readonly RuleSort[] = [
  { id: 'title', text: 'rule.title', order: 'asc' },
  { id: 'added', text: 'rule.added', order: 'desc' },
  { id: 'year', text: 'rule.year', order: 'desc' },
  { id: 'author', text: 'rule.author', order: 'asc' },
  { id: 'series', text: 'rule.series', order: 'asc' },
  { id: 'rating', text: 'rule.rating', order: 'desc' },
  { id: 'last_played', text: 'rule.lastPlayed', order: 'desc' },
  { id: 'released', text: 'rule.released', order: 'desc' },
  { id: 'duration', text: 'rule.duration', order: 'asc' },
  { id: 'pages', text: 'rule.pages', order: 'asc' },
  { id: 'size', text: 'rule.size', order: 'desc' },
  { id: 'random', text: 'rule.random', order: 'asc' },
];
