/** Bookmarks of pages, highlights of text, and notes. */
import type { Annotation } from '../../api/models';
import { t } from '../../i18n';
import '../../i18n/reader';
import { errorText } from '../../api/error-text';
import { fits } from '../../progress/locator';
import type { AnnotationStore } from './annotations.svelte';
import type { Place, Reader, Selected } from './reader.svelte';
import type { MarkColour } from './highlights';

/** The current page, and its first words as the label of its bookmark. */
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

/** The selection has no address that the server accepts. */
class NotAnnotatable extends Error {}

export class AnnotationEditor {
  #selected = $state.raw<Selected | null>(null);
  #opened = $state.raw<Opened | null>(null);
  /** The note of the open highlight or selection; null without one. */
  note = $state<string | null>(null);
  problem = $state('');
  /** Keys of requests in flight: texts, marks, and starts of pages. */
  #asked = $state.raw<readonly unknown[]>([]);
  /** The book was closed: nothing here is visible any more. */
  #hasEnded = false;

  constructor(
    private readonly marks: AnnotationStore,
    private readonly page: () => Page,
  ) {}

  readonly mark = $derived.by(() => this.marks.all.find((one) => one.id === this.#opened?.mark) ?? null);
  readonly #subject = $derived(this.mark ? this.#opened : this.#selected);
  /** Returns the bookmarks of the page. */
  readonly here = $derived.by(() => {
    const { place } = this.page();
    return place ? this.marks.within(place.from, place.to) : [];
  });

  /** Returns the box of the open highlight or of the selection on the screen. */
  get box(): DOMRect | null {
    return this.#subject?.box ?? null;
  }

  get isKeeping(): boolean {
    return this.#asked.includes(this.#subject);
  }

  /** True if a note would be lost. A note of a deleted highlight cannot be saved. */
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

  /** Closes the open highlight, unless its note is being edited. */
  leave(): void {
    if (this.isWriting) return;
    this.note = null;
    this.#put(() => (this.#opened = null));
  }

  /** Also closes the selection and its error, because the page turns. */
  turn(): void {
    if (this.isWriting) return;
    this.leave();
    this.select(null);
    this.problem = '';
  }

  /** Closes the highlight or selection and its note, unless the note is being sent. */
  close(): void {
    if (this.isKeeping && this.isWriting) return;
    if (!this.mark) this.page().reader?.deselect();
    this.note = null;
    this.problem = '';
    this.#opened = null;
    this.#selected = null;
  }

  /** The book closes: unsent notes are sent. */
  end(): void {
    if (this.isWriting) void this.annotate();
    this.#hasEnded = true;
  }

  /** Adds a bookmark of the page once, also after several clicks before the response. */
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

  /** Highlights the selection with a colour and its note. */
  paint(color: MarkColour): Promise<void> {
    return this.#keep(this.isWriting ? { color, note: this.#written } : { color });
  }

  /** Saves the note of the open highlight or selection. */
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

  /** After a failure the note stays open, so that it can be sent again. */
  async #keep(part: Part): Promise<void> {
    const subject = this.#subject;
    const kept = await this.#attempt(subject, () => {
      if (this.mark) return this.marks.change(this.mark.id, part);
      return this.#highlight(subject as Selected, part);
    });
    if (kept && !this.#hasEnded && subject === this.#subject) this.close();
  }

  async #highlight({ index, cfi, text }: Selected, { color = 'yellow', note = null }: Part): Promise<void> {
    if (!fits(cfi)) throw new NotAnnotatable();
    const words = { position: index, locator: cfi, type: 'highlight', text, color } as const;
    await this.marks.add(note === null ? words : { ...words, note });
  }

  /** Changes the open highlight or selection. Its bar shows the error, and closes with it. */
  #put(change: () => void): void {
    const before = this.#subject;
    change();
    if (before !== null && this.#subject !== before) this.problem = '';
  }

  /** Resolves to true on success. Each subject has one request at a time, and errors are shown. */
  async #attempt(subject: unknown, work: () => Promise<unknown>): Promise<boolean> {
    if (subject === null || this.#asked.includes(subject)) return false;
    this.problem = '';
    this.#asked = [...this.#asked, subject];
    try {
      await work();
      return true;
    } catch (error) {
      this.problem = error instanceof NotAnnotatable ? t('reader.mark.cannot') : errorText(error);
      return false;
    } finally {
      this.#asked = this.#asked.filter((one) => one !== subject);
    }
  }

  #done(mark: number): void {
    if (this.#opened?.mark === mark) this.close();
  }
}
