/** Places in the pages of a book: which words, where on the screen, and how to come back to them. */
import type { Target } from './book';

/** The words of a selection without the elements around them, which no place can be told by. */
export function tight(range: Range): Range | null {
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

/** A drawn page that does not say how large it is, such as a mere picture, is as large as that. */
export function measure(doc: Document): void {
  const said = doc.querySelector('meta[name="viewport"]');
  if (!said || /\bwidth\s*=\s*\d/.test(said.getAttribute('content') ?? '')) return;
  const { naturalWidth = 0, naturalHeight = 0 } = doc.querySelector('img') ?? {};
  if (naturalWidth > 0) said.setAttribute('content', `width=${naturalWidth},height=${naturalHeight}`);
  else said.remove();
}

/** Where something in a page of the book lies on the screen. */
export function boxOf(what: Range | Element): DOMRect {
  // The page has a window of its own, and with it another class of this name.
  const document = 'startContainer' in what ? what.startContainer.ownerDocument : what.ownerDocument;
  const frame = document?.defaultView?.frameElement?.getBoundingClientRect();
  const box = what.getBoundingClientRect();
  return new DOMRect(box.x + (frame?.x ?? 0), box.y + (frame?.y ?? 0), box.width, box.height);
}

/**
 * A place between two letters lies on the line of the second, and so on its page: by itself it may count to the line
 * before, whose end is the same place.
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

/** A place in a book that has changed since leads to the beginning of its section. */
export function careful({ index, anchor }: Target): Target {
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
