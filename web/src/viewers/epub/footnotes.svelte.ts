/** The footnote in front of the page, with the link that opened it. */
import type { Book } from './book/book';
import { isFootnoteLink, readNote, type Note } from './book/footnote-links';

export class Footnotes {
  shown = $state.raw<{ note: Note; box: DOMRect } | null>(null);

  #asked = 0;

  constructor(private readonly read: typeof readNote = readNote) {}

  /** Shows the note of a link, if it is still wanted when it loads; false if the link is not one to a note. */
  async follow(book: Book, link: Element, href: string, box: DOMRect): Promise<boolean> {
    if (!isFootnoteLink(link)) return false;
    const mine = (this.#asked += 1);
    const note = await this.read(book, href).catch(() => null);
    // The user turned the page meanwhile.
    if (mine !== this.#asked) return true;
    if (note) this.shown = { note, box };
    return note !== null;
  }

  /** Closes the note, or cancels its load. */
  close(): void {
    this.#asked += 1;
    this.shown = null;
  }
}
