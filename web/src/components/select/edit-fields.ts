/** The fields of the editor for many items, and the values that they set. */
import type { BulkSet } from '../../api/models';
import type { Key } from '../../i18n';
import '../../i18n/lists/select';
import { names } from './names';

/** Change of a field: keep it, replace its value, remove its value, or add or remove names. */
export type How = 'keep' | 'replace' | 'clear' | 'add' | 'remove';

export interface EditField {
  id: 'authors' | 'series' | 'genres' | 'language' | 'year';
  label: Key;
  hint?: Key;
  ways: readonly How[];
}

export const FIELDS: readonly EditField[] = [
  { id: 'authors', label: 'select.authors', hint: 'select.names.hint', ways: ['keep', 'replace', 'clear'] },
  { id: 'series', label: 'select.series', hint: 'select.series.hint', ways: ['keep', 'replace', 'clear'] },
  {
    id: 'genres',
    label: 'select.genres',
    hint: 'select.names.hint',
    ways: ['keep', 'add', 'remove', 'replace', 'clear'],
  },
  {
    id: 'language',
    label: 'select.language',
    hint: 'select.language.hint',
    ways: ['keep', 'replace', 'clear'],
  },
  { id: 'year', label: 'select.year', ways: ['keep', 'replace', 'clear'] },
];

export const WAYS: Readonly<Record<How, Key>> = {
  keep: 'select.keep',
  replace: 'select.replace',
  clear: 'select.clear',
  add: 'select.add',
  remove: 'select.remove',
};

/** Input of a field. */
export interface Input {
  how: How;
  text: string;
}

/** Returns the values to set, or null if an input is incomplete. */
export function valuesOf(inputs: Readonly<Record<EditField['id'], Input>>): BulkSet | null {
  const set: Record<string, unknown> = {};
  for (const [id, { how, text }] of Object.entries(inputs)) {
    if (how === 'keep') continue;
    const isList = id === 'authors' || id === 'genres';
    if (how === 'clear') {
      set[id] = isList ? [] : null;
      continue;
    }
    const value = parse(id, text);
    if (value === null) return null;
    set[how === 'replace' ? id : `${id}_${how}`] = value;
  }
  return Object.keys(set).length === 0 ? null : (set as BulkSet);
}

function parse(id: string, text: string): unknown {
  if (id === 'authors' || id === 'genres') {
    const list = names(text, ';');
    return list.length > 0 ? list : null;
  }
  const value = text.trim();
  if (value === '') return null;
  if (id === 'series') return { name: value };
  if (id === 'year') return /^-?\d{1,4}$/.test(value) ? Number(value) : null;
  return value;
}
