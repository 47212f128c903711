/** The language of the interface, and the browser's formats for it. */

export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];
/** Languages by their native names. */
export const NAMES: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' };

let current: Language = 'en';

export function locale(): Language {
  return current;
}

export function setLocale(language: Language): void {
  current = language;
}

/** Returns the chosen language, otherwise the first supported language of the browser. */
export function choose(chosen: string | null, languages: readonly string[]): Language {
  const known = (tag: string) => LANGUAGES.find((one) => one === tag.toLowerCase().split('-')[0]);
  if (chosen !== null && known(chosen)) return known(chosen) ?? 'en';
  return languages.map(known).find((one) => one !== undefined) ?? 'en';
}

type Format<T, O> = new (locale: string, options: O) => T;
const made = new Map<string, unknown>();

/** Returns a cached `Intl` formatter. English dates use the British form. */
export function format<T, O extends object | undefined>(Maker: Format<T, O>, options?: O): T {
  const tag = current === 'en' && (Maker as unknown) === Intl.DateTimeFormat ? 'en-GB' : current;
  const key = `${Maker.name} ${tag} ${JSON.stringify(options ?? {})}`;
  let one = made.get(key) as T | undefined;
  if (one === undefined) {
    one = new Maker(tag, options as O);
    made.set(key, one);
  }
  return one;
}
