/** Features that plain HTTP pages lack, each with a fallback. ESLint forbids their direct use elsewhere. */

/** Returns an identifier that is unique on this page. It is not a secret. */
export function uniqueId(prefix = 'id'): string {
  serial += 1;
  return `${prefix}-${serial}`;
}
let serial = 0;

/**
 * Copies text, and returns true after success. Without a secure context, or if the browser refuses, it copies a selected
 * field.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    // eslint-disable-next-line no-restricted-properties -- the fallback follows
    const clipboard = navigator.clipboard as Clipboard | undefined;
    if (clipboard) {
      await clipboard.writeText(text);
      return true;
    }
  } catch {
    // The permission is missing: the field needs none.
  }
  return copySelection(text);
}

function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.style.cssText = 'position:fixed;top:0;opacity:0';
  // Elements outside of an open dialog cannot be selected.
  ([...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body).append(field);
  field.select();
  try {
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}

/** Storage that never throws: with private windows and full disks only settings are lost. */
const shelf = (of: () => Storage) => ({
  get(name: string): string | null {
    try {
      return of().getItem(`ledge.${name}`);
    } catch {
      return null;
    }
  },
  set(name: string, value: string): void {
    try {
      of().setItem(`ledge.${name}`, value);
    } catch {
      // The value lasts until the page closes.
    }
  },
});

/** Storage of this browser. */
/** Text values by name. */
export interface KeyValueStore {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

export const storage = shelf(() => localStorage);
/** Storage of this tab. */
export const tabStorage = shelf(() => sessionStorage);
