/** The form of an item, such as an audiobook, if its kind has several. */
import { translate } from '../i18n';

/** Returns the form of an item, for example `Audiobook`; null if its kind has one form only. */
export function formOf({ facts: { form } }: { facts: Record<string, unknown> }): string | null {
  return typeof form === 'string' && form !== ''
    ? translate(form.charAt(0).toUpperCase() + form.slice(1))
    : null;
}
