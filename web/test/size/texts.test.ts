/** Texts that are loaded later must not be used by the first page. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enCollections } from '../../src/i18n/texts/lists/own/en.collections';
import { enDetails } from '../../src/i18n/texts/en.details';
import { enEmpty } from '../../src/i18n/texts/lists/en.empty';
import { enEntries } from '../../src/i18n/texts/lists/own/en.entries';
import { enFilters } from '../../src/i18n/texts/lists/en.filters';
import { enGame } from '../../src/i18n/texts/en.game';
import { enHome } from '../../src/i18n/texts/lists/en.home';
import { enItem } from '../../src/i18n/texts/en.item';
import { enLists } from '../../src/i18n/texts/lists/en.lists';
import { enPlayer } from '../../src/i18n/texts/en.player';
import { enPlaylists } from '../../src/i18n/texts/lists/own/en.playlists';
import { enReader } from '../../src/i18n/texts/en.reader';
import { enSelect } from '../../src/i18n/texts/lists/en.select';
import { enMenus } from '../../src/i18n/texts/lists/en.menus';
import { enRules } from '../../src/i18n/texts/lists/own/en.rules';
import { enSettings } from '../../src/i18n/texts/en.settings';

const src = join(import.meta.dirname, '../../src');
const all = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(ts|svelte)$/.test(name) && !name.startsWith('i18n/'))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));

describe('the texts of the settings', () => {
  it('are loaded by the settings only', () => {
    const elsewhere = all.filter(({ name }) => !name.startsWith('pages/settings/'));
    expect(elsewhere.length).toBeGreaterThan(50);
    const text = elsewhere.map((file) => file.text).join('\n');
    expect(Object.keys(enSettings).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of items', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/item'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enItem).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of lists', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/grids'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enLists).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of details', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/details'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enDetails).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of the filters', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/filters'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enFilters).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of select mode', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/select'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enSelect).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of the readers', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/reader'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enReader).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of games', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/game'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enGame).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of the players', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/player'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enPlayer).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of empty libraries', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/empty'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enEmpty).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of playlists', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/playlists'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enPlaylists).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of the home page', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/home'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enHome).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of entries of playlists', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/entries'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enEntries).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of collections', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/collections'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enCollections).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of the rule editor', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/rules'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enRules).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});

describe('the texts of menus', () => {
  it('are loaded by all their users', () => {
    const without = all.filter(({ text }) => !text.includes("i18n/lists/menus'"));
    expect(without.length).toBeLessThan(all.length);
    const text = without.map((file) => file.text).join('\n');
    expect(Object.keys(enMenus).filter((key) => text.includes(`'${key}'`))).toEqual([]);
  });
});
