/** Detects links to footnotes, and extracts the notes. */
import type { Book } from './book';
import { sanitizeDocument } from './sanitize';

const OPS = 'http://www.idpf.org/2007/ops';
const LONGEST = 3000;
const INLINE = 'a, span, sup, sub, em, strong, i, b, small, big';
const KEPT = new Set('p em strong i b sup sub br cite q blockquote ul ol li small'.split(' '));

export interface Note {
  /** Allowed elements: text, paragraphs and emphasis, without any attribute. */
  content: DocumentFragment;
  href: string;
}

/** Returns true if a link is marked as one to a note, or looks like it. */
export function isFootnoteLink(link: Element): boolean {
  const words = wordsOf(link);
  if (words.some((translate) => /^(doc-)?(noteref|biblioref|glossref)$/.test(translate))) return true;
  if (words.some((translate) => /^(doc-)?backlink$/.test(translate))) return false;
  return (
    isSuperscript(link) ||
    isSuperscript(link.parentElement) ||
    (link.children.length === 1 && isSuperscript(link.children[0] ?? null))
  );
}

/** Returns the note at `href`; null if the target is not a note. */
export async function readNote(book: Book, href: string): Promise<Note | null> {
  const target = await book.resolveHref(href);
  const section = target ? book.sections[target.index] : undefined;
  if (!target?.anchor || !section?.createDocument) return null;
  const document = await section.createDocument();
  sanitizeDocument(document);
  const found = target.anchor(document);
  if (found === null || typeof found === 'number') return null;
  const element = 'startContainer' in found ? parentOf(found.startContainer) : found;
  const note = element ? blockOf(element) : null;
  const text = note?.textContent?.trim() ?? '';
  if (
    !note ||
    note.localName === 'body' ||
    /^h\d$/.test(note.localName) ||
    text === '' ||
    text.length > LONGEST
  )
    return null;
  return { content: plain(note), href };
}

function wordsOf(element: Element): string[] {
  const types = element.getAttributeNS(OPS, 'type') ?? element.getAttribute('epub:type') ?? '';
  return `${types} ${element.getAttribute('role') ?? ''}`
    .split(/\s+/)
    .filter((translate) => translate !== '');
}

function isSuperscript(element: Element | null): boolean {
  if (!element) return false;
  if (element.localName === 'sup') return true;
  const align = element.ownerDocument.defaultView?.getComputedStyle(element).verticalAlign ?? '';
  return ['super', 'top', 'text-top'].includes(align);
}

const parentOf = (node: Node) => (node.nodeType === 1 ? (node as Element) : node.parentElement);

/** Returns the paragraph or list entry with the target; an empty anchor means the content after it. */
function blockOf(element: Element): Element | null {
  let block: Element | null = element;
  while (block?.matches(INLINE)) block = block.parentElement;
  const entry = block?.closest('li, aside, dd');
  if (entry) return entry;
  if (block && block.textContent?.trim() === '') return block.nextElementSibling;
  return block;
}

/** Returns a copy with a few harmless elements, without links back to the text. */
function plain(element: Element): DocumentFragment {
  const copy = document.createDocumentFragment();
  for (const node of element.childNodes) {
    if (node.nodeType === 3 || node.nodeType === 4) copy.append(node.nodeValue ?? '');
    if (node.nodeType !== 1) continue;
    const child = node as Element;
    const goesBack = wordsOf(child).some((translate) => translate.endsWith('backlink'));
    if (goesBack || /^[↩↑⤴^]\ufe0e?$/.test(child.textContent?.trim() ?? '')) continue;
    const name = child.localName === 'div' ? 'p' : child.localName;
    if (!KEPT.has(name)) {
      copy.append(plain(child));
      continue;
    }
    const kept = document.createElement(name);
    kept.append(plain(child));
    copy.append(kept);
  }
  return copy;
}
