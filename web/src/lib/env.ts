/** What a plain-http page lacks, each with its fallback; eslint forbids the direct use elsewhere. */

/** An identifier that is unique on this page; no secret. */
export function uniqueId(prefix = 'id'): string {
  serial += 1;
  return `${prefix}-${serial}`;
}
let serial = 0;

/** Texts by name that never throw: private windows and full disks lose settings, not the page. */
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
      // It holds until the page is closed.
    }
  },
});

/** What this browser keeps. */
export const storage = shelf(() => localStorage);
/** What this tab keeps, for as long as it is there. */
export const tabStorage = shelf(() => sessionStorage);
