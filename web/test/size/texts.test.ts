/** Texts that are loaded later must not be used by the first page, and no text is unused. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enDashboard } from '../../src/i18n/reports/en.dashboard';
import { enStatistics } from '../../src/i18n/reports/en.statistics';
import { en } from '../../src/i18n/texts/en';
import { enDetails } from '../../src/i18n/texts/en.details';
import { enGame } from '../../src/i18n/texts/viewers/en.game';
import { enItem } from '../../src/i18n/texts/en.item';
import { enPlayer } from '../../src/i18n/texts/viewers/en.player';
import { enReader } from '../../src/i18n/texts/viewers/en.reader';
import { enApps } from '../../src/i18n/texts/settings/en.apps';
import { enSettings } from '../../src/i18n/texts/settings/en.settings';
import { enEmpty } from '../../src/i18n/texts/lists/en.empty';
import { enFilters } from '../../src/i18n/texts/lists/en.filters';
import { enHome } from '../../src/i18n/texts/lists/en.home';
import { enLists } from '../../src/i18n/texts/lists/en.lists';
import { enMenus } from '../../src/i18n/texts/lists/en.menus';
import { enSelect } from '../../src/i18n/texts/lists/en.select';
import { enShows } from '../../src/i18n/texts/works/en.shows';
import { enCollections } from '../../src/i18n/texts/lists/own/en.collections';
import { enEntries } from '../../src/i18n/texts/lists/own/en.entries';
import { enPlaylists } from '../../src/i18n/texts/lists/own/en.playlists';
import { enRules } from '../../src/i18n/texts/lists/own/en.rules';
import { enSearch } from '../../src/i18n/texts/lists/en.search';
import { enCores } from '../../src/i18n/texts/settings/en.cores';
import { enMatches } from '../../src/i18n/texts/settings/en.matches';
import { enPreviews } from '../../src/i18n/texts/settings/en.previews';
import { enProviders } from '../../src/i18n/texts/settings/en.metadata';
import { enImport } from '../../src/i18n/texts/settings/en.import';
import { enMetadata } from '../../src/i18n/texts/works/en.metadata';
import { enWorks } from '../../src/i18n/texts/works/en.works';

const src = join(import.meta.dirname, '../../src');
const all = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|svelte)$/.test(name) && !/^i18n\/(texts|reports)\//.test(name))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));
const callers = all.filter(({ name }) => !name.startsWith('i18n/'));
const textOf = (files: typeof all) => files.map(({ text }) => text).join('\n');

/** Modules of texts, by their names below `src/i18n`. */
const modules = {
  'settings/apps': enApps,
  item: enItem,
  'settings/dashboard': enDashboard,
  details: enDetails,
  game: enGame,
  player: enPlayer,
  reader: enReader,
  'lists/statistics': enStatistics,
  'lists/grids': enLists,
  'lists/filters': enFilters,
  'lists/select': enSelect,
  'lists/shows': enShows,
  'lists/empty': enEmpty,
  'lists/home': enHome,
  'lists/menus': enMenus,
  'lists/playlists': enPlaylists,
  'lists/entries': enEntries,
  'lists/collections': enCollections,
  'lists/rules': enRules,
  metadata: enMetadata,
  works: enWorks,
  'settings/import': enImport,
  'settings/matches': enMatches,
  'settings/previews': enPreviews,
  'settings/metadata': enProviders,
  'settings/cores': enCores,
  'lists/search': enSearch,
};

it('the texts of the settings are loaded by the settings only', () => {
  const elsewhere = callers.filter(({ name }) => !name.startsWith('pages/settings/'));
  expect(elsewhere.length).toBeGreaterThan(50);
  expect(Object.keys(enSettings).filter((key) => textOf(elsewhere).includes(`'${key}'`))).toEqual([]);
});

it.each(Object.entries(modules))('the texts of %s are loaded by all their users', (name, texts) => {
  const without = callers.filter(({ text }) => !text.includes(`i18n/${name}'`));
  expect(without.length).toBeLessThan(callers.length);
  const text = textOf(without);
  expect(Object.keys(texts).filter((key) => text.includes(`'${key}'`))).toEqual([]);
});

/** Returns a test for the keys in a source: those in quotes, and those of templates such as `sort.${id}`. */
function usesOf(text: string): (key: string) => boolean {
  const literals = new Set([...text.matchAll(/'([\w-]+(?:\.[\w-]+)*)'/g)].map(([, key]) => key));
  const templates = [...text.matchAll(/`([^`\n]*\$\{[^`\n]*)`/g)]
    .map(([, one = '']) => one.split(/\$\{[^{}]*\}/))
    // A pattern of few letters would match every key.
    .filter((parts) => parts.every((part) => /^[\w.]*$/.test(part)) && /\w\.|\.\w/.test(parts.join('')))
    .map((parts) => new RegExp(`^${parts.map((part) => part.replaceAll('.', '\\.')).join('[\\w.]+')}$`));
  return (key) => literals.has(key) || templates.some((pattern) => pattern.test(key));
}

describe('each text', () => {
  it('is used', () => {
    const isUsed = usesOf(textOf(all));
    const keys = Object.values({ ...modules, settings: enSettings, en }).flatMap((texts) =>
      Object.keys(texts),
    );
    expect(keys.length).toBeGreaterThan(500);
    expect(keys.filter((key) => !isUsed(key))).toEqual([]);
  });

  it.each([
    ["t('a.b')", 'a.b', true],
    ['t(`${to}.added`)', 'playlist.added', true],
    ['t(`sort.${id}`)', 'sort.title', true],
    ['t(`${to}.added`)', 'playlist.add', false],
    ['t(`sort.${id}`)', 'rule.title', false],
  ])('in %s: %s is used: %s', (source, key, isUsed) => {
    expect(usesOf(source)(key)).toBe(isUsed);
  });
});
