/** Controls foliate-js, which lays out the book, and reports the position. */
import * as cfi from 'foliate-js/epubcfi.js';
import type { Annotation } from '../../api/models';
import type { Book, Target, TocItem } from './book/book';
import type { Reading } from './book/settings.svelte';
import { layout, styles } from './book/style';
import { boxOf, tryRange, measure, trimmedRange } from './book/ranges';
import { sanitizeDocument } from './book/sanitize';
import type { Renderer, View } from './book/view';
import { Highlights } from './highlights';

/** Address of the visible page. */
export interface Place {
  index: number;
  /** Share of the section before the page, 0 to 1; null for pages of a fixed size. */
  within: number | null;
  /** Share of the whole book, 0 to 1. */
  fraction: number;
  chapter: TocItem | null;
  /** Number of later pages in the chapter; null for the scrolled layout. */
  left: number | null;
  /** The first and the last visible line. */
  from: string;
  to: string;
  /** The first words of the page. */
  words: string;
  atStart: boolean;
  atEnd: boolean;
}

export interface Selected {
  index: number;
  cfi: string;
  text: string;
  box: DOMRect;
}

export interface Handlers {
  onmove: (place: Place, moved: boolean) => void;
  onend: () => void;
  onkeydown: (event: KeyboardEvent) => void;
  /** A touch or a click on the page, with its horizontal position from 0 to 1. */
  ontap: (across: number, touch: boolean) => void;
  onselect: (selected: Selected | null) => void;
  onmark: (id: number, box: DOMRect) => void;
  /** Returns true if it handled the link. */
  onlink: (link: HTMLAnchorElement, href: string, box: DOMRect) => Promise<boolean>;
  onoutside: (href: string) => void;
}

/** The position at which a book opens. */
export interface Beginning {
  /** The section. */
  start: number;
  /** The exact line, if it is known. */
  locator: string | null;
  /** The position in the section, 0 to 1, in case of no line. */
  within: number | null;
}

/** The paginator's report of a position; `fraction` is relative to the section. */
interface Relocation {
  reason?: string;
  index: number;
  fraction?: number;
}

/** Rounds a share and limits it to 0 to 1. */
const share = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;

export class Reader {
  place = $state.raw<Place | null>(null);
  /** Position before the latest jump. */
  origin = $state.raw<string | null>(null);

  readonly #view: View;
  readonly #highlights: Highlights;
  #reading = $state.raw() as Reading;
  #opened = false;
  #moves = 0;
  #abort = new AbortController();

  private constructor(
    view: HTMLElement,
    readonly book: Book,
    reading: Reading,
    private readonly on: Handlers,
  ) {
    this.#view = view as View;
    this.#highlights = new Highlights(this.#view);
    this.#reading = reading;
  }

  /** Lays the book out in `host`, at the line if that is in section `start`, otherwise inside the section or at its start. */
  static async open(
    host: HTMLElement,
    book: Book,
    reading: Reading,
    at: Beginning,
    on: Handlers,
  ): Promise<Reader> {
    await import('foliate-js/view.js');
    const element = document.createElement('foliate-view');
    host.replaceChildren(element);
    const reader = new Reader(element, book, reading, on);
    try {
      await reader.#begin(at);
    } catch (error) {
      // The caller cannot close a book that failed to open.
      element.remove();
      book.destroy?.();
      throw error;
    }
    return reader;
  }

  get fixed(): boolean {
    return this.#view.isFixedLayout;
  }

  get rtl(): boolean {
    return this.book.dir === 'rtl';
  }

  get scrolled(): boolean {
    return !this.fixed && this.#reading.flow === 'scroll';
  }

  /** Start of each section, 0 to 1. */
  get fractions(): number[] {
    return this.#view.getSectionFractions();
  }

  close(): void {
    this.#abort.abort();
    this.#view.close();
    this.#view.remove();
    this.book.destroy?.();
  }

  /** Applies changed settings. */
  set(reading: Reading): void {
    this.#reading = reading;
    const { renderer } = this.#view;
    if (this.fixed) return;
    renderer.setStyles?.(styles(reading));
    for (const [name, value] of Object.entries(layout(reading))) {
      if (renderer.getAttribute(name) !== value) renderer.setAttribute(name, value);
    }
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    renderer.toggleAttribute('animated', !still);
  }

  next(): Promise<void> {
    return this.#inTurn(async (renderer) => {
      if (renderer.atEnd && !this.#canScroll(1)) return this.on.onend();
      const before = this.#moves;
      await renderer.next();
      if (this.fixed && before === this.#moves) this.on.onend();
    });
  }

  prev(): Promise<void> {
    return this.#inTurn((renderer) => renderer.prev());
  }

  #turns: Promise<unknown> = Promise.resolve();
  #pending = 0;
  /** Queues page turns: the paginator ignores calls while a page turns. */
  async #inTurn(work: (renderer: Renderer) => Promise<void>): Promise<void> {
    if (this.#pending > 3) return;
    this.#pending += 1;
    const turned = this.#turns.then(() => work(this.#view.renderer));
    this.#turns = turned.catch(() => {}).then(() => (this.#pending -= 1));
    await turned;
  }

  left(): Promise<void> {
    return this.rtl ? this.next() : this.prev();
  }

  right(): Promise<void> {
    return this.rtl ? this.prev() : this.next();
  }

  /** Scrolls by a few lines, also across the border of a chapter. */
  scroll(lines: number): Promise<void> {
    const distance = Math.abs(lines) * this.#reading.line * 18;
    return this.#inTurn(async (renderer) => {
      if (lines > 0 && renderer.atEnd && !this.#canScroll(1)) return this.on.onend();
      await (lines > 0 ? renderer.next(distance) : renderer.prev(distance));
    });
  }

  async section(step: 1 | -1): Promise<void> {
    const { sections } = this.book;
    let index = (this.place?.index ?? 0) + step;
    while (sections[index]?.linear === 'no') index += step;
    if (sections[index]) await this.#jump({ index });
  }

  /** Goes to an address in the book, or to a stored position. */
  async goTo(target: string): Promise<void> {
    const resolved = await this.#view.resolveNavigation(target);
    if (resolved) await this.#jump(resolved);
  }

  async goToFraction(fraction: number): Promise<void> {
    const resolved = await this.#view.resolveNavigation({ fraction });
    if (resolved) await this.#jump(resolved);
  }

  async return(): Promise<void> {
    const { origin } = this;
    if (origin === null) return;
    await this.goTo(origin);
    this.origin = null;
  }

  /** Returns the chapter at a fraction of the book. */
  async chapterAt(fraction: number): Promise<TocItem | null> {
    const target = await this.#view.resolveNavigation({ fraction });
    return target ? this.#chapterOf(target.index) : null;
  }

  /** Paints the annotations, and updates changed ones. */
  mark(marks: readonly Annotation[]): void {
    this.#highlights.set(marks);
  }

  #shows = 0;
  /** Goes to a search result, and highlights it until the next one. */
  async show(found: string | null): Promise<void> {
    const mine = (this.#shows += 1);
    this.#highlights.showResult(null);
    if (found === null) return;
    await this.goTo(found);
    // The user chose another result, or closed the search.
    if (mine === this.#shows) this.#highlights.showResult(found);
  }

  cfiOf(index: number, range: Range): string {
    return this.#view.getCFI(index, range);
  }

  /** Returns the focus to the page. */
  focus(): void {
    this.#view.renderer.focusView?.();
  }

  deselect(): void {
    for (const { doc } of this.#view.renderer.getContents()) doc.getSelection()?.removeAllRanges();
  }

  async #begin(from: Beginning): Promise<void> {
    const view = this.#view;
    await view.open(this.book);
    this.set(this.#reading);
    const signal = { signal: this.#abort.signal };
    const listen = <T>(name: string, act: (detail: T) => void) =>
      view.addEventListener(name, (event) => act((event as CustomEvent<T>).detail), signal);
    view.renderer.addEventListener(
      'relocate',
      (event) => this.#relocated((event as CustomEvent<Relocation>).detail),
      signal,
    );
    listen<{ doc: Document; index: number }>('load', ({ doc, index }) => this.#loaded(doc, index));
    listen<{ index: number }>('create-overlay', ({ index }) => this.#highlights.paintSection(index));
    listen<{ draw: (how: unknown, options: object) => void; annotation: { value: string } }>(
      'draw-annotation',
      ({ draw, annotation }) => this.#highlights.draw(draw, annotation.value),
    );
    listen<{ value: string; range: Range }>('show-annotation', ({ value, range }) => {
      const mark = this.#highlights.at(value);
      this.#handled = mark !== undefined;
      if (mark) this.on.onmark(mark.id, boxOf(range));
    });
    view.addEventListener('link', (event) => this.#follow(event as CustomEvent), signal);
    view.addEventListener(
      'external-link',
      (event) => {
        event.preventDefault();
        this.on.onoutside((event as CustomEvent<{ href: string }>).detail.href);
      },
      signal,
    );
    await view.renderer.goTo(await this.#beginning(from));
    this.#opened = true;
  }

  async #beginning({ start, locator, within }: Beginning): Promise<Target> {
    const { sections } = this.book;
    if (locator !== null) {
      const target = await this.#view.resolveNavigation(locator);
      if (target && target.index === start) return tryRange(target);
    }
    const first = Math.max(
      0,
      sections.findIndex((section) => section.linear !== 'no'),
    );
    const index = start > 0 && start < sections.length ? start : first;
    return within === null || index !== start ? { index } : { index, anchor: () => within };
  }

  async #jump(target: Target): Promise<void> {
    const from = this.place?.from ?? null;
    const before = this.#moves;
    await this.#view.renderer.goTo(tryRange(target));
    if (this.#moves !== before) this.origin = from;
  }

  #relocated({ reason, index, fraction }: Relocation): void {
    const { lastLocation: here, renderer } = this.#view;
    // Without a section the paginator lost its position.
    if (!here || !Number.isInteger(index)) return;
    const pages = this.fixed || this.scrolled ? null : (renderer.pages ?? 0) - 2;
    const text = here.range?.toString() ?? '';
    this.place = {
      index,
      within: this.fixed || fraction === undefined ? null : share(fraction),
      fraction: Math.min(1, Math.max(0, here.fraction ?? 0)),
      chapter: here.tocItem ?? this.#chapterOf(index),
      left: pages === null ? null : Math.max(0, pages - (renderer.page ?? 0)),
      from: cfi.collapse(here.cfi),
      to: cfi.collapse(here.cfi, true),
      words: text.slice(0, 300).replace(/\s+/g, ' ').trim().slice(0, 120),
      atStart: renderer.atStart ?? false,
      atEnd: (renderer.atEnd ?? false) && !this.#canScroll(1),
    };
    this.#moves += 1;
    // A new layout is not a new position: its first line differs on each screen.
    const moved = this.#opened && reason !== 'anchor';
    if (moved && ['page', 'snap', 'scroll'].includes(reason ?? '')) this.#steps();
    this.on.onmove(this.place, moved);
  }

  #turned = 0;
  /** After some pages, the link back to the previous position is removed. */
  #steps(): void {
    this.#turned = this.origin === null ? 0 : this.#turned + 1;
    if (this.#turned > 8) this.origin = null;
  }

  #canScroll(way: 1 | -1): boolean {
    if (!this.scrolled) return false;
    const { start = 0, end = 0, viewSize = 0 } = this.#view.renderer;
    return way === 1 ? viewSize - end > 2 : start > 0;
  }

  /** Returns the last table-of-contents entry at or before a section. */
  #chapterOf(index: number): TocItem | null {
    const at = this.#sectionsOfToc();
    let found: TocItem | null = null;
    for (const { item, section } of at) if (section <= index) found = item;
    return found;
  }

  #toc: { item: TocItem; section: number }[] | null = null;
  #sectionsOfToc(): { item: TocItem; section: number }[] {
    if (this.#toc) return this.#toc;
    const list: { item: TocItem; section: number }[] = [];
    const walk = (items: readonly TocItem[]) => {
      for (const item of items) {
        const target = item.href === null ? null : this.book.resolveHref(item.href);
        if (target && 'index' in target) list.push({ item, section: target.index });
        walk(item.subitems ?? []);
      }
    };
    walk(this.book.toc ?? []);
    return (this.#toc = list);
  }

  #loaded(doc: Document, index: number): void {
    if (!this.book.transformTarget) {
      sanitizeDocument(doc); // formats that are not archives of pages pass here first
      this.#view.renderer.setStyles?.(styles(this.#reading));
    }
    if (this.fixed) measure(doc);
    const signal = { signal: this.#abort.signal };
    const frame = doc.defaultView?.frameElement;
    frame?.setAttribute('title', this.#chapterOf(index)?.label?.trim() || `${index + 1}`);
    doc.addEventListener('keydown', (event) => this.on.onkeydown(event), signal);
    doc.addEventListener('click', (event) => this.#tapped(event), signal);
    doc.addEventListener('selectionchange', () => this.#selecting(doc, index), signal);
    doc.addEventListener('pointerup', () => this.#selecting(doc, index), signal);
    doc.addEventListener('wheel', (event) => this.wheel(event), { ...signal, passive: true });
  }

  #turning = 0;
  #pushed = 0;
  /** The wheel turns pages. In the scrolled layout it crosses the border of a chapter. */
  wheel(event: WheelEvent): void {
    const way = Math.abs(event.deltaY) > Math.abs(event.deltaX) ? event.deltaY : event.deltaX;
    if (event.ctrlKey || Math.abs(way) < 4) return;
    const now = event.timeStamp;
    if (this.scrolled) {
      if (this.#canScroll(way > 0 ? 1 : -1)) {
        this.#pushed = 0;
        this.#turning = now;
      } else if (now - this.#turning > 500) {
        this.#pushed += Math.abs(way);
        if (this.#pushed > 360) this.#turn(way, now);
      }
    } else if (now - this.#turning > 320) this.#turn(way, now);
  }

  #turn(way: number, now: number): void {
    this.#turning = now;
    this.#pushed = 0;
    void (way > 0 ? this.next() : this.prev());
  }

  #handled = false;
  #tapped(event: MouseEvent): void {
    const target = event.target as Element;
    const touch = (event as PointerEvent).pointerType !== 'mouse';
    if (event.button !== 0 || target.closest('a[href], audio, video, summary')) return;
    const frame = target.ownerDocument.defaultView?.frameElement?.getBoundingClientRect();
    const across = ((frame?.left ?? 0) + event.clientX) / Math.max(1, innerWidth);
    // A highlight under the pointer handles the click after this.
    setTimeout(() => {
      const taken = this.#handled || !(target.ownerDocument.getSelection()?.isCollapsed ?? true);
      this.#handled = false;
      if (!taken) this.on.ontap(across, touch);
    });
  }

  #settling: number | undefined;
  #selecting(doc: Document, index: number): void {
    clearTimeout(this.#settling);
    this.#settling = window.setTimeout(() => {
      const selection = doc.getSelection();
      if (!selection || selection.isCollapsed || selection.rangeCount === 0) return this.on.onselect(null);
      const range = trimmedRange(selection.getRangeAt(0));
      const text = range?.toString().trim() ?? '';
      if (!range || text === '') return this.on.onselect(null);
      this.on.onselect({ index, cfi: this.cfiOf(index, range), text, box: boxOf(range) });
    }, 220);
  }

  #follow(event: CustomEvent<{ a: HTMLAnchorElement; href: string }>): void {
    event.preventDefault();
    const { a, href } = event.detail;
    void this.on.onlink(a, href, boxOf(a)).then((done) => (done ? undefined : this.goTo(href)));
  }
}
