/** Compares and names language tags. */

/** Returns `de` for `de-AT` and for `deu`. */
export function mainPart(tag: string | null): string {
  try {
    return tag === null ? '' : new Intl.Locale(tag).language;
  } catch {
    return tag ?? '';
  }
}

/** Returns the name of a language in the language of the interface; empty if it is unknown. */
export function languageName(tag: string | null, locale: string): string {
  if (tag === null || mainPart(tag) === 'und') return '';
  try {
    return new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' }).of(tag) ?? '';
  } catch {
    return '';
  }
}
