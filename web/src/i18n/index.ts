/** Texts by key, typed by the English catalogue; plurals by the language's own rules. */
import { en } from './en';
import type { enGame } from './en.game';
import type { enItem } from './en.item';
import type { enPlayer } from './en.player';
import type { enReader } from './en.reader';
import type { enSettings } from './en.settings';

type Catalogue = typeof en &
  typeof enGame &
  typeof enItem &
  typeof enPlayer &
  typeof enReader &
  typeof enSettings;
export type Key = keyof Catalogue;
type Params = Record<string, string | number>;

const rules = new Intl.PluralRules('en');
const numbers = new Intl.NumberFormat('en');

type Forms = { one?: string; other: string };
type Entry = string | Forms;

const texts = new Map<string, Entry>(Object.entries(en));

/** Adds the texts of a part that is loaded when it is wanted. */
export function learn(more: Readonly<Record<string, Entry>>): void {
  for (const [key, entry] of Object.entries(more)) texts.set(key, entry);
}

/** The text under `key`; `{name}` is replaced, and `count` chooses the plural form. */
export function t(key: Key, params: Params = {}): string {
  const entry = texts.get(key) ?? key;
  return fill(typeof entry === 'string' ? entry : form(entry, params.count), params);
}

function form(forms: Forms, count: string | number | undefined): string {
  const rule = rules.select(Number(count ?? 0));
  return (rule === 'one' ? forms.one : undefined) ?? forms.other;
}

function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? numbers.format(value) : value;
  });
}
