/** Chooses the language before the first paint. Languages other than English are fetched first. */
import { storage } from '../lib/env';
import { addTranslations } from '.';
import { choose, locale, setLocale, type Language } from './locale';

/** The language chosen on this device; null follows the browser. */
export function chosenLanguage(): string | null {
  return storage.get('language');
}

export function chooseLanguage(language: Language | null): void {
  storage.set('language', language ?? '');
  location.reload(); // every part of the page contains texts
}

export async function init(): Promise<void> {
  // Set the locale first: parts that load meanwhile fetch their texts in it.
  setLocale(choose(chosenLanguage() || null, navigator.languages));
  if (locale() === 'de') {
    try {
      const { de, deWords } = await import('./texts/de');
      addTranslations(de, deWords);
    } catch {
      setLocale('en'); // the chunk did not load: fall back to English
    }
  }
  document.documentElement.lang = locale();
}
