/** Texts by key, typed by the English catalogue. Plural forms follow the rules of the language. */
import { en } from './texts/en';
import type { enCollections } from './texts/lists/own/en.collections';
import type { enDashboard } from './reports/en.dashboard';
import type { enDetails } from './texts/en.details';
import type { enEmpty } from './texts/lists/en.empty';
import type { enEntries } from './texts/lists/own/en.entries';
import type { enFilters } from './texts/lists/en.filters';
import type { enGame } from './texts/viewers/en.game';
import type { enHome } from './texts/lists/en.home';
import type { enItem } from './texts/en.item';
import type { enLists } from './texts/lists/en.lists';
import type { enPlayer } from './texts/viewers/en.player';
import type { enPlaylists } from './texts/lists/own/en.playlists';
import type { enReader } from './texts/viewers/en.reader';
import type { enSearch } from './texts/lists/en.search';
import type { enSelect } from './texts/lists/en.select';
import type { enShows } from './texts/works/en.shows';
import type { enMenus } from './texts/lists/en.menus';
import type { enRules } from './texts/lists/own/en.rules';
import type { enApps } from './texts/settings/en.apps';
import type { enSettings } from './texts/settings/en.settings';
import type { enStatistics } from './reports/en.statistics';
import type { enCores } from './texts/settings/en.cores';
import type { enMatches } from './texts/settings/en.matches';
import type { enPreviews } from './texts/settings/en.previews';
import type { enProviders } from './texts/settings/en.metadata';
import type { enImport } from './texts/settings/en.import';
import type { enMetadata } from './texts/works/en.metadata';
import type { enWorks } from './texts/works/en.works';
import { arrivals } from './loaded.svelte';
import { format, locale, type Language } from './locale';
import type { Entry, Forms } from './texts/translation';

type Catalogue = typeof en &
  typeof enApps &
  typeof enCollections &
  typeof enDashboard &
  typeof enDetails &
  typeof enEmpty &
  typeof enEntries &
  typeof enFilters &
  typeof enGame &
  typeof enHome &
  typeof enItem &
  typeof enLists &
  typeof enMetadata &
  typeof enPlayer &
  typeof enPlaylists &
  typeof enReader &
  typeof enSearch &
  typeof enSelect &
  typeof enShows &
  typeof enMenus &
  typeof enRules &
  typeof enSettings &
  typeof enStatistics &
  typeof enCores &
  typeof enImport &
  typeof enMatches &
  typeof enPreviews &
  typeof enProviders &
  typeof enWorks;
export type Key = keyof Catalogue;
type Params = Record<string, string | number>;

type Texts = Readonly<Record<string, Entry>>;

const texts = new Map<string, Entry>(Object.entries(en));
const translated = new Map<string, Entry>();
let serverTexts: Readonly<Record<string, string>> = {};
let arriving: Promise<unknown> = Promise.resolve();

/** Adds the English texts of a part, and fetches their translation into the current language. */
export function register(more: Texts, others: Partial<Record<Language, () => Promise<Texts>>> = {}): void {
  for (const [key, entry] of Object.entries(more)) texts.set(key, entry);
  const other = others[locale()];
  if (!other) return;
  // If a translation does not load, English stays.
  const arrival = other().then(addTranslations, () => {});
  arriving = Promise.all([arriving, arrival]);
}

/** Resolves when the translations of all loaded parts have arrived. Until then they are shown in English. */
export async function translations(): Promise<void> {
  await arriving;
}

/** Adds texts in the current language, and translations of serverTexts from the server. */
export function addTranslations(more: Texts, given?: Readonly<Record<string, string>>): void {
  for (const [key, entry] of Object.entries(more)) translated.set(key, entry);
  if (given) serverTexts = given;
  arrivals.count += 1;
}

/** Returns the text under `key`. `{name}` is replaced, and `count` chooses the plural form. */
export function t(key: Key, params: Params = {}): string {
  const entry = translation(key) ?? texts.get(key) ?? key;
  return fill(typeof entry === 'string' ? entry : form(entry, params.count), params);
}

function translation(key: Key): Entry | undefined {
  if (locale() === 'en') return undefined;
  const entry = translated.get(key);
  if (entry === undefined) void arrivals.count; // updates the text when its translation arrives
  return entry;
}

/** Translates a translate that the server sends in English, such as the name of a kind. */
export function translate(english: string): string {
  return (Object.hasOwn(serverTexts, english) ? serverTexts[english] : undefined) ?? english;
}

/** Returns a noun for the middle of a sentence. English writes it in lower case, other languages do not. */
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
