/** The keyboard in what lies over a reader's page: taken there, kept there where the page is covered, given back. */
import { tick } from 'svelte';
import type { Attachment } from 'svelte/attachments';

interface Enclosure {
  /** Whether the page below is covered and out of reach. */
  modal?: boolean;
  /** Gives the keyboard back where what had it cannot take it any more. */
  onreturn?: () => void;
}

export function enclose({ modal = false, onreturn }: Enclosure = {}): Attachment<HTMLElement> {
  return (node) => {
    const opener = document.activeElement;
    const set = modal ? beside(node).filter((one) => !one.inert) : [];
    for (const one of set) one.inert = true;
    void tick().then(() => {
      const wanted = node.querySelector<HTMLElement>('[data-first]') ?? node;
      if (!node.contains(document.activeElement)) wanted.focus({ preventScroll: true });
    });
    return () => {
      for (const one of set) one.inert = false;
      // What was opened from here in the meantime keeps it.
      if (document.activeElement !== document.body && !node.contains(document.activeElement)) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
      if (!opener || document.activeElement !== opener) onreturn?.();
    };
  };
}

/** Gives the keyboard back where something goes that has it, and that did not take it when it came. */
export function giveBack(onreturn: () => void): Attachment<HTMLElement> {
  return (node) => {
    let held = false;
    const hold = () => (held = true);
    node.addEventListener('focusin', hold);
    return () => {
      node.removeEventListener('focusin', hold);
      // By now it may have left the page, and what had the keyboard in it with it.
      const { activeElement } = document;
      if (held && (activeElement === document.body || node.contains(activeElement))) onreturn();
    };
  };
}

/** Everything of the page that is neither around an element nor in it. */
function beside(node: HTMLElement): HTMLElement[] {
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

/** Whether a sheet has room beside the page, or covers it. */
export const covers = () => innerWidth <= 760;
