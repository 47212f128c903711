/** Features that plain HTTP pages lack, each with a fallback. ESLint forbids their direct use elsewhere. */

/** Returns an identifier that is unique on this page. It is not a secret. */
export function uniqueId(prefix = 'id'): string {
  serial += 1;
  return `${prefix}-${serial}`;
}
let serial = 0;

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
