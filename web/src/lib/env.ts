/** What a plain-http page lacks, each with its fallback; eslint forbids the direct use elsewhere. */

/** An identifier that is unique on this page; no secret. */
export function uniqueId(prefix = 'id'): string {
  serial += 1;
  return `${prefix}-${serial}`;
}
let serial = 0;

/** Puts text on the clipboard; false where the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  // eslint-disable-next-line no-restricted-properties -- the one place that may look
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.style.cssText = 'position:fixed;opacity:0';
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  return done;
}

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
