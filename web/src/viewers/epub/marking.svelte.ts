/** Marking what one reads: bookmarks of pages, highlights of words, and notes on them. */
import type { Annotation } from '../../api/types';
import { t } from '../../i18n';
import '../../i18n/reader';
import { explain } from '../../lib/explain';
import { fits } from '../../progress/locator';
import type { Marks } from './marks.svelte';
import type { MarkColour, Place, Reader, Selected } from './reader.svelte';

/** The page that is read, and the words that stand for it. */
interface Page {
  reader: Pick<Reader, 'deselect'> | null;
  place: Place | null;
  chapter: string;
}

interface Opened {
  mark: number;
  box: DOMRect;
}

interface Part {
  color?: MarkColour;
  note?: string | null;
}

/** The words lie where no address reaches that the server takes. */
class Unmarkable extends Error {}

export class Marking {
  #selected = $state.raw<Selected | null>(null);
  #opened = $state.raw<Opened | null>(null);
  /** What is written of the words at hand; null where nothing is. */
  note = $state<string | null>(null);
  problem = $state('');
  /** What the server was asked to keep and has not answered for: words, marks, and the beginnings of pages. */
  #asked = $state.raw<readonly unknown[]>([]);
  /** The book was left: nothing here is shown any more. */
  #hasEnded = false;

  constructor(
    private readonly marks: Marks,
    private readonly page: () => Page,
  ) {}

  readonly mark = $derived.by(() => this.marks.all.find((one) => one.id === this.#opened?.mark) ?? null);
  readonly #subject = $derived(this.mark ? this.#opened : this.#selected);
  /** The bookmarks of the page. */
  readonly here = $derived.by(() => {
    const { place } = this.page();
    return place ? this.marks.within(place.from, place.to) : [];
  });

  /** Where the words at hand are on the screen: of the highlight that was opened, or those that are selected. */
  get box(): DOMRect | null {
    return this.#subject?.box ?? null;
  }

  get isKeeping(): boolean {
    return this.#asked.includes(this.#subject);
  }

  /** Whether something was written that would be lost. Of a highlight that is gone nothing can be kept. */
  get isWriting(): boolean {
    if (this.#subject === null) return false;
    return this.note !== null && this.note.trim() !== (this.mark?.note ?? '');
  }

  select(words: Selected | null): void {
    if (this.isWriting) return;
    if (this.#subject === null) this.note = null;
    this.#put(() => (this.#selected = words));
  }

  open(mark: number, box: DOMRect): void {
    if (this.isWriting) return;
    this.note = null;
    this.#put(() => (this.#opened = { mark, box }));
  }

  /** Leaves the highlight that was opened, unless something is being written of it. */
  leave(): void {
    if (this.isWriting) return;
    this.note = null;
    this.#put(() => (this.#opened = null));
  }

  /** The same with words that are selected, and with what went wrong: the page turns. */
  turn(): void {
    if (this.isWriting) return;
    this.leave();
    this.select(null);
    this.problem = '';
  }

  /** Puts away what is at hand, with what was written of it: that is not lost while it is being sent. */
  close(): void {
    if (this.isKeeping && this.isWriting) return;
    if (!this.mark) this.page().reader?.deselect();
    this.note = null;
    this.problem = '';
    this.#opened = null;
    this.#selected = null;
  }

  /** The book is left: what was written is sent, as far as it was not. */
  end(): void {
    if (this.isWriting) void this.annotate();
    this.#hasEnded = true;
  }

  /** A page is bookmarked once, however often that is asked before the server has answered. */
  async toggleBookmark(): Promise<void> {
    const { place, chapter } = this.page();
    const { here } = this;
    if (!place) return;
    const { index, from, words } = place;
    await this.#attempt(from, async () => {
      for (const one of here) await this.marks.remove(one.id);
      if (here.length > 0) return;
      const text = words === '' ? chapter : words;
      await this.marks.add({ position: index, locator: from, type: 'bookmark', text });
    });
  }

  /** Marks the words at hand with a colour, and with what was written of them. */
  paint(color: MarkColour): Promise<void> {
    return this.#keep(this.isWriting ? { color, note: this.#written } : { color });
  }

  /** Keeps what was written of the words at hand. */
  annotate(): Promise<void> {
    return this.#keep({ note: this.#written });
  }

  get #written(): string | null {
    return this.note?.trim() || null;
  }

  async erase(): Promise<void> {
    const { mark } = this;
    if (mark) await this.remove(mark);
  }

  async remove({ id }: Pick<Annotation, 'id'>): Promise<void> {
    if (await this.#attempt(id, () => this.marks.remove(id))) this.#done(id);
  }

  /** What fails stays open as it was, to be sent again. */
  async #keep(part: Part): Promise<void> {
    const subject = this.#subject;
    const kept = await this.#attempt(subject, () => {
      if (this.mark) return this.marks.change(this.mark.id, part);
      return this.#highlight(subject as Selected, part);
    });
    if (kept && !this.#hasEnded && subject === this.#subject) this.close();
  }

  async #highlight({ index, cfi, text }: Selected, { color = 'yellow', note = null }: Part): Promise<void> {
    if (!fits(cfi)) throw new Unmarkable();
    const words = { position: index, locator: cfi, type: 'highlight', text, color } as const;
    await this.marks.add(note === null ? words : { ...words, note });
  }

  /** Changes what is at hand. What went wrong is said in its bar, and goes with that. */
  #put(change: () => void): void {
    const before = this.#subject;
    change();
    if (before !== null && this.#subject !== before) this.problem = '';
  }

  /** Whether it was done: once at a time for each subject, and what went wrong is said. */
  async #attempt(subject: unknown, work: () => Promise<unknown>): Promise<boolean> {
    if (subject === null || this.#asked.includes(subject)) return false;
    this.problem = '';
    this.#asked = [...this.#asked, subject];
    try {
      await work();
      return true;
    } catch (error) {
      this.problem = error instanceof Unmarkable ? t('reader.mark.cannot') : explain(error);
      return false;
    } finally {
      this.#asked = this.#asked.filter((one) => one !== subject);
    }
  }

  #done(mark: number): void {
    if (this.#opened?.mark === mark) this.close();
  }
}
