/** The age rating of an item that applies to the user. */
import type { Certificate } from '../../api/models';
import { format, locale } from '../../i18n/locale';

/**
 * Returns the rating of the user's country, otherwise the first one. Languages name the country: those of the browser
 * in the language of the interface precede that language itself and the other ones of the browser.
 */
export function certificateFor(
  certificates: readonly Certificate[],
  languages: readonly string[],
): Certificate | null {
  const own = languages.filter((tag) => tag.toLowerCase().split('-')[0] === locale());
  for (const tag of [...own, locale(), ...languages]) {
    const country = countryOf(tag);
    const found = certificates.find((one) => one.country === country && one.rating !== '');
    if (found) return found;
  }
  return certificates.find(({ rating }) => rating !== '') ?? null;
}

/** The country of a language tag, `DE` for `de`; null for an invalid tag. */
function countryOf(tag: string): string | null {
  try {
    return new Intl.Locale(tag).maximize().region ?? null;
  } catch {
    return null;
  }
}

/** The name of a country by its ISO 3166-1 code; other texts stay. */
export function countryName(country: string): string {
  if (!/^[A-Za-z]{2}$/.test(country)) return country;
  return format(Intl.DisplayNames, { type: 'region' }).of(country.toUpperCase()) ?? country;
}
