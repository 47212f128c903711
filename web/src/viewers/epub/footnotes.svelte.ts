/** The footnote that lies over the page, from the link that leads to it. */
import type { Book } from './book';
import { leadsToNote, readNote, type Note } from './notes';

export class Footnotes {
  shown = $state.raw<{ note: Note; box: DOMRect } | null>(null);

  #asked = 0;

  constructor(private readonly read: typeof readNote = readNote) {}

  /** Shows the note that a link leads to, if one is still there when it comes; false where it leads to none. */
  async follow(book: Book, link: Element, href: string, box: DOMRect): Promise<boolean> {
    if (!leadsToNote(link)) return false;
    const mine = (this.#asked += 1);
    const note = await this.read(book, href).catch(() => null);
    // One has read on: neither a note nor the place it stands at is wanted any more.
    if (mine !== this.#asked) return true;
    if (note) this.shown = { note, box };
    return note !== null;
  }

  /** Puts the note away, or what was to come of one. */
  close(): void {
    this.#asked += 1;
    this.shown = null;
  }
}
