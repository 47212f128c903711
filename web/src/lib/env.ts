/** What a plain-http page lacks, each with its fallback; eslint forbids the direct use elsewhere. */

/** An identifier that is unique on this page; no secret. */
export function uniqueId(prefix = 'id'): string {
  serial += 1;
  return `${prefix}-${serial}`;
}
let serial = 0;

/** `localStorage` that never throws: private windows and full disks lose settings, not the page. */
export const storage = {
  get(name: string): string | null {
    try {
      return localStorage.getItem(`ledge.${name}`);
    } catch {
      return null;
    }
  },
  set(name: string, value: string): void {
    try {
      localStorage.setItem(`ledge.${name}`, value);
    } catch {
      // The setting holds until the page is closed.
    }
  },
};
