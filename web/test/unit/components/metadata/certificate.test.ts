import { afterEach, describe, expect, it } from 'vitest';
import { certificateFor, countryName } from '../../../../src/components/metadata/certificate';
import { setLocale } from '../../../../src/i18n/locale';

afterEach(() => setLocale('en'));
const all = [
  { country: 'US', rating: 'PG-13' },
  { country: 'DE', rating: '12' },
  { country: 'GB', rating: '12A' },
];
const chosen = (languages: string[], some = all) => certificateFor(some, languages)?.rating ?? null;

describe('the age rating', () => {
  it('is that of the country in the language of the browser', () => {
    expect(chosen(['en-GB', 'en'])).toBe('12A');
    expect(chosen(['en-US'])).toBe('PG-13');
  });
  it('is that of the country of a language without one', () => {
    setLocale('de');
    expect(chosen(['de'])).toBe('12');
    expect(chosen([])).toBe('12');
  });
  it('follows the language of the interface before other languages of the browser', () => {
    setLocale('de');
    expect(chosen(['en-GB', 'de-DE'])).toBe('12');
    // Austria has no rating, Germany has one.
    expect(chosen(['de-AT'])).toBe('12');
  });
  it('is the first one if no language fits', () => {
    expect(chosen(['fr-FR'], [{ country: 'JP', rating: 'G' }])).toBe('G');
    expect(chosen(['en-GB'], [])).toBeNull();
  });
  it('skips an empty rating and an invalid language', () => {
    expect(chosen(['en-GB', '!!'], [{ country: 'GB', rating: '' }, ...all.slice(0, 1)])).toBe('PG-13');
    expect(chosen(['en-GB'], [{ country: 'GB', rating: '' }])).toBeNull();
  });
  it('names the country, and keeps a text that is no code', () => {
    expect(countryName('DE')).toBe('Germany');
    expect(countryName('Germany')).toBe('Germany');
    setLocale('de');
    expect(countryName('de')).toBe('Deutschland');
  });
});
