import { describe, expect, it } from 'vitest';
import { de, deWords } from '../../../src/i18n/texts/de';
import { deDashboard } from '../../../src/i18n/reports/de.dashboard';
import { deDetails } from '../../../src/i18n/texts/de.details';
import { deCollections } from '../../../src/i18n/texts/lists/own/de.collections';
import { deMenus } from '../../../src/i18n/texts/lists/de.menus';
import { deRules } from '../../../src/i18n/texts/lists/own/de.rules';
import { deEmpty } from '../../../src/i18n/texts/lists/de.empty';
import { dePlaylists } from '../../../src/i18n/texts/lists/own/de.playlists';
import { deEntries } from '../../../src/i18n/texts/lists/own/de.entries';
import { deFilters } from '../../../src/i18n/texts/lists/de.filters';
import { deGame } from '../../../src/i18n/texts/viewers/de.game';
import { deHome } from '../../../src/i18n/texts/lists/de.home';
import { deItem } from '../../../src/i18n/texts/de.item';
import { dePlayer } from '../../../src/i18n/texts/viewers/de.player';
import { deReader } from '../../../src/i18n/texts/viewers/de.reader';
import { deSearch } from '../../../src/i18n/texts/lists/de.search';
import { deSelect } from '../../../src/i18n/texts/lists/de.select';
import { deStatistics } from '../../../src/i18n/reports/de.statistics';
import { deSettings } from '../../../src/i18n/texts/settings/de.settings';
import { en } from '../../../src/i18n/texts/en';
import { enDashboard } from '../../../src/i18n/reports/en.dashboard';
import { enDetails } from '../../../src/i18n/texts/en.details';
import { enCollections } from '../../../src/i18n/texts/lists/own/en.collections';
import { enMenus } from '../../../src/i18n/texts/lists/en.menus';
import { enRules } from '../../../src/i18n/texts/lists/own/en.rules';
import { enEmpty } from '../../../src/i18n/texts/lists/en.empty';
import { enPlaylists } from '../../../src/i18n/texts/lists/own/en.playlists';
import { enEntries } from '../../../src/i18n/texts/lists/own/en.entries';
import { enFilters } from '../../../src/i18n/texts/lists/en.filters';
import { enGame } from '../../../src/i18n/texts/viewers/en.game';
import { enHome } from '../../../src/i18n/texts/lists/en.home';
import { enItem } from '../../../src/i18n/texts/en.item';
import { deLists } from '../../../src/i18n/texts/lists/de.lists';
import { enLists } from '../../../src/i18n/texts/lists/en.lists';
import { enPlayer } from '../../../src/i18n/texts/viewers/en.player';
import { enReader } from '../../../src/i18n/texts/viewers/en.reader';
import { enSearch } from '../../../src/i18n/texts/lists/en.search';
import { enSelect } from '../../../src/i18n/texts/lists/en.select';
import { enStatistics } from '../../../src/i18n/reports/en.statistics';
import { enSettings } from '../../../src/i18n/texts/settings/en.settings';
import { deCores } from '../../../src/i18n/texts/settings/de.cores';
import { deImport } from '../../../src/i18n/texts/settings/de.import';
import { enCores } from '../../../src/i18n/texts/settings/en.cores';
import { deMatches } from '../../../src/i18n/texts/settings/de.matches';
import { enMatches } from '../../../src/i18n/texts/settings/en.matches';
import { dePreviews } from '../../../src/i18n/texts/settings/de.previews';
import { enPreviews } from '../../../src/i18n/texts/settings/en.previews';
import { deProviders } from '../../../src/i18n/texts/settings/de.metadata';
import { enProviders } from '../../../src/i18n/texts/settings/en.metadata';
import { enImport } from '../../../src/i18n/texts/settings/en.import';
import { deMetadata } from '../../../src/i18n/texts/works/de.metadata';
import { enMetadata } from '../../../src/i18n/texts/works/en.metadata';
import { deWorks } from '../../../src/i18n/texts/works/de.works';
import { enWorks } from '../../../src/i18n/texts/works/en.works';
import { inSentence, register, t, addTranslations, translations, translate } from '../../../src/i18n';
import type { Entry } from '../../../src/i18n/texts/translation';
import '../../../src/i18n/details';
import '../../../src/i18n/item';
import '../../../src/i18n/lists/search';
import { choose, setLocale } from '../../../src/i18n/locale';
import { bytes, count, day } from '../../../src/i18n/format';

const english: Record<string, Entry> = {
  ...en,
  ...enDashboard,
  ...enDetails,
  ...enCollections,
  ...enMenus,
  ...enRules,
  ...enEmpty,
  ...enPlaylists,
  ...enEntries,
  ...enFilters,
  ...enGame,
  ...enHome,
  ...enItem,
  ...enLists,
  ...enMetadata,
  ...enPlayer,
  ...enReader,
  ...enSearch,
  ...enSelect,
  ...enSettings,
  ...enStatistics,
  ...enCores,
  ...enImport,
  ...enMatches,
  ...enPreviews,
  ...enProviders,
  ...enWorks,
};
const german: Record<string, Entry> = {
  ...de,
  ...deDashboard,
  ...deDetails,
  ...deCollections,
  ...deMenus,
  ...deRules,
  ...deEmpty,
  ...dePlaylists,
  ...deEntries,
  ...deFilters,
  ...deGame,
  ...deHome,
  ...deItem,
  ...deLists,
  ...deMetadata,
  ...dePlayer,
  ...deReader,
  ...deSearch,
  ...deSelect,
  ...deSettings,
  ...deStatistics,
  ...deCores,
  ...deImport,
  ...deMatches,
  ...dePreviews,
  ...deProviders,
  ...deWorks,
};
const parts: [string, object, object][] = [
  ['first page', en, de],
  ['collections', enCollections, deCollections],
  ['menus', enMenus, deMenus],
  ['rules', enRules, deRules],
  ['dashboard', enDashboard, deDashboard],
  ['details', enDetails, deDetails],
  ['entries', enEntries, deEntries],
  ['filters', enFilters, deFilters],
  ['playlists', enPlaylists, dePlaylists],
  ['empty lists', enEmpty, deEmpty],
  ['games', enGame, deGame],
  ['home page', enHome, deHome],
  ['items', enItem, deItem],
  ['lists', enLists, deLists],
  ['metadata', enMetadata, deMetadata],
  ['players', enPlayer, dePlayer],
  ['readers', enReader, deReader],
  ['search', enSearch, deSearch],
  ['selection', enSelect, deSelect],
  ['settings', enSettings, deSettings],
  ['statistics', enStatistics, deStatistics],
  ['forms', enWorks, deWorks],
  ['cores', enCores, deCores],
  ['imports', enImport, deImport],
  ['matches', enMatches, deMatches],
  ['previews', enPreviews, dePreviews],
  ['provider settings', enProviders, deProviders],
];
function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve: (value: T) => resolve(value) };
}
const formsOf = (entry: Entry): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry));
const gaps = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

/** Texts that are the same in both languages. */
const identical = new Set<unknown>([
  'Browser',
  'Codec',
  'Cores',
  'Gamepad',
  'Genre',
  'Genres',
  'ISBN',
  'Ledge',
  'MB',
  'Mono',
  'Name',
  'Pad',
  'Pause',
  'Player',
  'Playlists',
  'Position',
  'Sans',
  'Select',
  'Serif',
  'Server',
  'Start',
  'Stereo',
  'Studio',
  'System',
  'S{season} E{episode}',
  '{button}: {control}',
  '{file}, {place}',
  '{n} %',
]);

describe('both catalogues', () => {
  it.each(parts)('have the same keys for the %s', (_, one, other) => {
    expect(Object.keys(other).sort()).toEqual(Object.keys(one).sort());
  });

  it('have the same placeholders for each key', () => {
    for (const [key, entry] of Object.entries(english)) {
      const wanted = gaps(formsOf(entry).join(' '));
      expect(gaps(formsOf(german[key]!).join(' ')), key).toEqual(wanted);
    }
  });

  it('have every plural form of their language', () => {
    for (const [key, entry] of Object.entries(english)) {
      if (typeof entry === 'string') expect(typeof german[key], key).toBe('string');
      else if ('one' in entry) expect(german[key], key).toHaveProperty('one');
    }
  });

  it('translate every text except names and identical words', () => {
    const same = Object.keys(english)
      .filter((key) => english[key] === german[key])
      .map((key) => english[key]);
    expect(same.filter((text) => !identical.has(text))).toEqual([]);
  });
});

describe('the language', () => {
  it('is the selected one, otherwise the browser’s first supported one, otherwise English', () => {
    expect(choose('de', ['en'])).toBe('de');
    expect(choose(null, ['fr-CA', 'de-AT', 'en'])).toBe('de');
    expect(choose('tlh', ['fr'])).toBe('en');
  });

  it('has its own plurals, numbers, dates and words', () => {
    expect(t('search.results', { count: 1 })).toBe('1 result');
    setLocale('de');
    addTranslations({ ...de, ...deItem }, deWords);
    expect(t('item.pages', { count: 1 })).toBe('1 Seite');
    expect(t('item.pages', { count: 12_345 })).toBe('12.345 Seiten');
    expect(count(1_000_000)).toBe('1.000.000');
    expect(bytes(1_500_000)).toBe('1,5 MB');
    expect(day('2020-03-12T10:00:00Z')).toBe('12. März 2020');
    expect(translate('Books')).toBe('Bücher');
    expect(translate('Herbarium')).toBe('Herbarium');
    expect(inSentence('Bücher')).toBe('Bücher');
  });

  it('loads the translation of a part with the part, and shows English until it arrives', async () => {
    setLocale('de');
    const { promise, resolve: arrive } = deferred<{ 'play.now': string }>();
    register({ 'play.now': 'Play now' }, { de: () => promise });
    expect(t('play.now')).toBe('Play now');
    arrive({ 'play.now': 'Jetzt abspielen' });
    await translations();
    expect(t('play.now')).toBe('Jetzt abspielen');
  });

  it('stays English if the translation of a part does not load', async () => {
    setLocale('de');
    register({ 'play.missing': 'Missing' }, { de: () => Promise.reject(new Error('no answer')) });
    await translations();
    expect(t('play.missing')).toBe('Missing');
  });

  it('loads no translation for English', () => {
    setLocale('en');
    register({ 'play.now': 'Play now' }, { de: () => expect.fail('fetched') });
    expect(t('play.now')).toBe('Play now');
  });
});
