/** Chooses the language before anything is drawn; another than English is fetched for that. */
import { storage } from '../lib/env';
import { translate } from '.';
import { choose, setLocale, type Language } from './locale';

/** The language that was chosen on this device; null where it follows the browser. */
export function chosenLanguage(): string | null {
  return storage.get('language');
}

export function chooseLanguage(language: Language | null): void {
  storage.set('language', language ?? '');
  location.reload(); // texts stand in every part of the page
}

export async function speak(): Promise<void> {
  const language = choose(chosenLanguage() || null, navigator.languages);
  if (language === 'de') {
    try {
      const { de, deWords } = await import('./de');
      translate(de, deWords);
    } catch {
      return; // the chunk did not come: English is better than nothing
    }
  }
  setLocale(language);
  document.documentElement.lang = language;
}
