/** Text ranges in the pages of a book: their addresses, and their boxes on the screen. */
import type { Target } from './book';

/** Returns the selected text without the surrounding elements, which have no address. */
export function trimmedRange(range: Range): Range | null {
  const root = range.commonAncestorContainer;
  if (root.nodeType === Node.TEXT_NODE) return range;
  const walker = range.startContainer.ownerDocument?.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let first: Node | null = null;
  let last: Node | null = null;
  for (let node = walker?.nextNode(); node; node = walker?.nextNode()) {
    if (!range.intersectsNode(node) || node.nodeValue?.trim() === '') continue;
    if (node === range.startContainer && range.startOffset === node.nodeValue?.length) continue;
    if (node === range.endContainer && range.endOffset === 0) continue;
    first ??= node;
    last = node;
  }
  if (!first || !last) return null;
  const words = range.cloneRange();
  words.setStart(first, first === range.startContainer ? range.startOffset : 0);
  words.setEnd(last, last === range.endContainer ? range.endOffset : (last.nodeValue?.length ?? 0));
  return words;
}

/** A fixed-layout page without a declared size, such as a single picture, has the size of its content. */
export function measure(doc: Document): void {
  const said = doc.querySelector('meta[name="viewport"]');
  if (!said || /\bwidth\s*=\s*\d/.test(said.getAttribute('content') ?? '')) return;
  const { naturalWidth = 0, naturalHeight = 0 } = doc.querySelector('img') ?? {};
  if (naturalWidth > 0) said.setAttribute('content', `width=${naturalWidth},height=${naturalHeight}`);
  else said.remove();
}

/** Returns the box of a range of the book on the screen. */
export function boxOf(what: Range | Element): DOMRect {
  // Each page is a frame with its own `Range` class.
  const document = 'startContainer' in what ? what.startContainer.ownerDocument : what.ownerDocument;
  const frame = document?.defaultView?.frameElement?.getBoundingClientRect();
  const box = what.getBoundingClientRect();
  return new DOMRect(box.x + (frame?.x ?? 0), box.y + (frame?.y ?? 0), box.width, box.height);
}

/**
 * Moves a position between two letters to the second letter. The position itself can belong to the end of the previous
 * line, and so to the previous page.
 */
function forward(place: Element | Range | number | null): Element | Range | number | null {
  if (place === null || typeof place === 'number' || !('startContainer' in place)) return place;
  const { startContainer: node, startOffset: at, collapsed } = place;
  const text = collapsed && node.nodeType === Node.TEXT_NODE ? (node.nodeValue ?? '') : '';
  const letter = text.slice(at).search(/\S/);
  if (letter < 0) return place;
  const seen = place.cloneRange();
  seen.setStart(node, at + letter);
  seen.setEnd(node, at + letter + 1);
  return seen;
}

/** A position in a book that changed since leads to the start of its section. */
export function tryRange({ index, anchor }: Target): Target {
  if (!anchor) return { index };
  return {
    index,
    anchor: (document) => {
      try {
        return forward(anchor(document));
      } catch {
        return 0;
      }
    },
  };
}
