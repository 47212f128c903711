/** Texts by key, typed by the English catalogue; plurals by the language's own rules. */
import { en } from './en';
import type { enGame } from './en.game';
import type { enItem } from './en.item';
import type { enPlayer } from './en.player';
import type { enReader } from './en.reader';
import type { enSettings } from './en.settings';
import { format, locale } from './locale';

type Catalogue = typeof en &
  typeof enGame &
  typeof enItem &
  typeof enPlayer &
  typeof enReader &
  typeof enSettings;
export type Key = keyof Catalogue;
type Params = Record<string, string | number>;

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Entry = string | Forms;
/** A whole catalogue of another language. */
export type Translation = Readonly<Record<Key, Entry>>;

const texts = new Map<string, Entry>(Object.entries(en));
/** The language that is spoken instead of English. */
let spoken: Translation | null = null;
let words: Readonly<Record<string, string>> = {};

/** Adds the texts of a part that is loaded when it is wanted. */
export function learn(more: Readonly<Record<string, Entry>>): void {
  for (const [key, entry] of Object.entries(more)) texts.set(key, entry);
}

/** Speaks another language from now on. */
export function translate(translation: Translation, given: Readonly<Record<string, string>>): void {
  spoken = translation;
  words = given;
}

/** The text under `key`; `{name}` is replaced, and `count` chooses the plural form. */
export function t(key: Key, params: Params = {}): string {
  const entry = spoken?.[key] ?? texts.get(key) ?? key;
  return fill(typeof entry === 'string' ? entry : form(entry, params.count), params);
}

/** A word that the server sends in English, such as what a kind of thing is called. */
export function word(english: string): string {
  return (Object.hasOwn(words, english) ? words[english] : undefined) ?? english;
}

/** A noun in the middle of a sentence: English writes it small, others do not. */
export function inSentence(noun: string): string {
  return locale() === 'en' ? noun.toLocaleLowerCase(locale()) : noun;
}

function form(forms: Forms, count: string | number | undefined): string {
  return forms[format(Intl.PluralRules).select(Number(count ?? 0))] ?? forms.other;
}

function fill(text: string, params: Params): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? format(Intl.NumberFormat).format(value) : value;
  });
}
