/** Names of values that the server knows only in English. */
import { locale } from '../../i18n/locale';

export function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(locale(), { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
