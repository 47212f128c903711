import { describe, expect, it } from 'vitest';
import { de, deWords } from '../../src/i18n/de';
import { en } from '../../src/i18n/en';
import { enGame } from '../../src/i18n/en.game';
import { enItem } from '../../src/i18n/en.item';
import { enPlayer } from '../../src/i18n/en.player';
import { enReader } from '../../src/i18n/en.reader';
import { enSettings } from '../../src/i18n/en.settings';
import { inSentence, t, translate, word, type Entry } from '../../src/i18n';
import '../../src/i18n/item';
import { choose, setLocale } from '../../src/i18n/locale';
import { bytes, count, day } from '../../src/lib/format';

const english: Record<string, Entry> = {
  ...en,
  ...enGame,
  ...enItem,
  ...enPlayer,
  ...enReader,
  ...enSettings,
};
const german: Record<string, Entry> = { ...de };
const formsOf = (entry: Entry): string[] => (typeof entry === 'string' ? [entry] : Object.values(entry));
const gaps = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();

describe('both catalogues', () => {
  it('have the same keys', () => {
    expect(Object.keys(german).sort()).toEqual(Object.keys(english).sort());
  });

  it('have the same gaps under each key', () => {
    for (const [key, entry] of Object.entries(english)) {
      const wanted = gaps(formsOf(entry).join(' '));
      expect(gaps(formsOf(german[key]!).join(' ')), key).toEqual(wanted);
    }
  });

  it('have every plural form of their language that differs', () => {
    for (const [key, entry] of Object.entries(english)) {
      if (typeof entry === 'string') expect(typeof german[key], key).toBe('string');
      else if ('one' in entry) expect(german[key], key).toHaveProperty('one');
    }
  });

  it('leave no text untranslated but names and words that are the same', () => {
    const same = Object.keys(english).filter((key) => english[key] === german[key]);
    expect(same.length).toBeLessThan(25);
  });
});

describe('the language', () => {
  it('is the chosen one, else the browser’s first that is spoken here, else English', () => {
    expect(choose('de', ['en'])).toBe('de');
    expect(choose(null, ['fr-CA', 'de-AT', 'en'])).toBe('de');
    expect(choose('tlh', ['fr'])).toBe('en');
  });

  it('brings its own plurals, numbers, dates and words', () => {
    expect(t('search.results', { count: 1 })).toBe('1 result');
    setLocale('de');
    translate(de, deWords);
    expect(t('item.pages', { count: 1 })).toBe('1 Seite');
    expect(t('item.pages', { count: 12_345 })).toBe('12.345 Seiten');
    expect(count(1_000_000)).toBe('1.000.000');
    expect(bytes(1_500_000)).toBe('1,5 MB');
    expect(day('2020-03-12T10:00:00Z')).toBe('12. März 2020');
    expect(word('Books')).toBe('Bücher');
    expect(word('Herbarium')).toBe('Herbarium');
    expect(inSentence('Bücher')).toBe('Bücher');
  });
});
