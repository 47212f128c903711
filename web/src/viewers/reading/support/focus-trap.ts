/** Keyboard focus in an overlay of a reader: moved there, kept there if it covers the page, and restored. */
import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';

interface FocusTrap {
  /** True if the page below is covered and unreachable. */
  modal?: boolean;
  /** Restores the focus if the previous element is gone. */
  onreturn?: () => void;
}

export function trapFocus({ modal = false, onreturn }: FocusTrap = {}): Attachment<HTMLElement> {
  return (node) => {
    const opener = document.activeElement;
    const set = modal ? siblingsOf(node).filter((one) => !one.inert) : [];
    for (const one of set) one.inert = true;
    void tick().then(() => {
      const wanted = node.querySelector<HTMLElement>('[data-first]') ?? node;
      if (!node.contains(document.activeElement)) wanted.focus({ preventScroll: true });
    });
    return () => {
      for (const one of set) one.inert = false;
      // An overlay that was opened meanwhile keeps the focus.
      if (document.activeElement !== document.body && !node.contains(document.activeElement)) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      if (!opener || document.activeElement !== opener) onreturn?.();
    };
  };
}

/** Restores the focus when an overlay that did not take it disappears with it. */
export function restoreFocus(onreturn: () => void): Attachment<HTMLElement> {
  return (node) => {
    let held = false;
    const hold = () => (held = true);
    node.addEventListener('focusin', hold);
    return () => {
      node.removeEventListener('focusin', hold);
      // The overlay and its focused element can be removed by now.
      const { activeElement } = document;
      if (held && (activeElement === document.body || node.contains(activeElement))) onreturn();
    };
  };
}

/** Returns all elements of the page that neither contain an element nor are inside of it. */
function siblingsOf(node: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (
    let inner: Element = node;
    inner !== document.body && inner.parentElement;
    inner = inner.parentElement
  ) {
    for (const one of inner.parentElement.children) {
      if (one !== inner && one instanceof HTMLElement) found.push(one);
    }
  }
  return found;
}

/** Returns true if a sheet covers the page instead of sharing the window with it. */
export const covers = () => innerWidth <= 760;
