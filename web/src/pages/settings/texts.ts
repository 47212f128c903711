/** Loads the texts of the settings with their pages, in one language only. */
import { register, addTranslations } from '../../i18n';
import { locale } from '../../i18n/locale';
import { once } from '../../lib/once';

export const loadTexts = once(async () => {
  if (locale() === 'de') {
    try {
      addTranslations((await import('../../i18n/texts/settings/de.settings')).deSettings);
      return;
    } catch {
      // If the chunk does not load, English stays.
    }
  }
  register((await import('../../i18n/texts/settings/en.settings')).enSettings);
});
