/** What a plain-http page lacks, each with its fallback; eslint forbids the direct use elsewhere. */

/** An identifier that is unique on this page; no secret. */
export function uniqueId(prefix = 'id'): string {
  serial += 1;
  return `${prefix}-${serial}`;
}
let serial = 0;

/** A browser's storage that never throws: private windows and full disks lose settings, not the page. */
const shelf = (where: () => Storage) => ({
  get(name: string): string | null {
    try {
      return where().getItem(`ledge.${name}`);
    } catch {
      return null;
    }
  },
  set(name: string, value: string): void {
    try {
      where().setItem(`ledge.${name}`, value);
    } catch {
      // The setting holds until the page is closed.
    }
  },
});
/** Of this device. */
export const storage = shelf(() => localStorage);
/** Of this tab, as long as it is there; over a reload, too. */
export const tabStorage = shelf(() => sessionStorage);
