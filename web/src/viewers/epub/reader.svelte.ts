/** A book on the screen: foliate-js lays it out, this tells it where to go and says where it is. */
import * as cfi from 'foliate-js/epubcfi.js';
import { Overlayer } from 'foliate-js/overlayer.js';
import type { Annotation } from '../../api/types';
import type { Book, Target, TocItem } from './book';
import type { Reading } from './settings.svelte';
import { layout, styles } from './style';
import { boxOf, careful, measure, tight } from './ranges';
import { tameDocument } from './tame';
import type { Renderer, View } from './view';

/** Where the page that is shown lies. */
export interface Place {
  index: number;
  /** Of the whole book, 0 to 1. */
  fraction: number;
  chapter: TocItem | null;
  /** Pages after this one in the chapter; null where it is one long page. */
  left: number | null;
  /** The first and the last line that is seen. */
  from: string;
  to: string;
  /** Its first words. */
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
  /** A touch or a click on the page: where, 0 to 1 from its left. */
  ontap: (across: number, touch: boolean) => void;
  onselect: (selected: Selected | null) => void;
  onmark: (id: number, box: DOMRect) => void;
  /** True where the link was followed otherwise. */
  onlink: (link: HTMLAnchorElement, href: string, box: DOMRect) => Promise<boolean>;
  onoutside: (href: string) => void;
}

export const MARKS = {
  yellow: '#f5c944',
  green: '#84c46c',
  blue: '#6fb1e8',
  pink: '#ee8ab0',
} as const;
export type MarkColour = keyof typeof MARKS;
const FOUND = '#d8722c';

export class Reader {
  place = $state.raw<Place | null>(null);
  /** Where one was before the last jump. */
  origin = $state.raw<string | null>(null);

  readonly #view: View;
  #marks: readonly Annotation[] = [];
  #found: string | null = null;
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
    this.#reading = reading;
  }

  /** Lays the book out in `host`, at `locator` if that lies in section `start`, else at its beginning. */
  static async open(
    host: HTMLElement,
    book: Book,
    reading: Reading,
    at: { start: number; locator: string | null },
    on: Handlers,
  ): Promise<Reader> {
    await import('foliate-js/view.js');
    const element = document.createElement('foliate-view');
    host.replaceChildren(element);
    const reader = new Reader(element, book, reading, on);
    try {
      await reader.#begin(at);
    } catch (error) {
      // Whoever asked for it cannot close what never came.
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

  /** Where each section begins, 0 to 1. */
  get fractions(): number[] {
    return this.#view.getSectionFractions();
  }

  close(): void {
    this.#abort.abort();
    this.#view.close();
    this.#view.remove();
    this.book.destroy?.();
  }

  /** Shows the book as one likes to read from now on. */
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
  /** One page after another: the paginator forgets what it is told while a page turns. */
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

  /** A few lines on or back, over the chapter's border too. */
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

  /** Follows an address inside of the book, or a place that was kept. */
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

  /** The chapter that lies at a fraction of the book. */
  async chapterAt(fraction: number): Promise<TocItem | null> {
    const target = await this.#view.resolveNavigation({ fraction });
    return target ? this.#chapterOf(target.index) : null;
  }

  /** Which highlights are painted. */
  mark(marks: readonly Annotation[]): void {
    const before = this.#marks;
    this.#marks = marks;
    const changed = [...before, ...marks].filter((mark) => !before.includes(mark) || !marks.includes(mark));
    for (const locator of new Set(changed.map((mark) => mark.locator))) this.#repaint(locator);
  }

  #shows = 0;
  /** Goes to words that were searched for, and paints them until the next ones. */
  async show(found: string | null): Promise<void> {
    const mine = (this.#shows += 1);
    const before = this.#found;
    this.#found = null;
    this.#repaint(before);
    if (found === null) return;
    await this.goTo(found);
    // Others are wanted by now, or none.
    if (mine !== this.#shows) return;
    this.#found = found;
    this.#paint(found);
  }

  cfiOf(index: number, range: Range): string {
    return this.#view.getCFI(index, range);
  }

  /** Gives the keyboard back to the page. */
  focus(): void {
    this.#view.renderer.focusView?.();
  }

  deselect(): void {
    for (const { doc } of this.#view.renderer.getContents()) doc.getSelection()?.removeAllRanges();
  }

  async #begin({ start, locator }: { start: number; locator: string | null }): Promise<void> {
    const view = this.#view;
    await view.open(this.book);
    this.set(this.#reading);
    const signal = { signal: this.#abort.signal };
    const listen = <T>(name: string, act: (detail: T) => void) =>
      view.addEventListener(name, (event) => act((event as CustomEvent<T>).detail), signal);
    view.renderer.addEventListener(
      'relocate',
      (event) => this.#relocated((event as CustomEvent<{ reason?: string; index: number }>).detail),
      signal,
    );
    listen<{ doc: Document; index: number }>('load', ({ doc, index }) => this.#loaded(doc, index));
    listen<{ index: number }>('create-overlay', ({ index }) => this.#paintSection(index));
    listen<{ draw: (how: unknown, options: object) => void; annotation: { value: string } }>(
      'draw-annotation',
      ({ draw, annotation }) => this.#draw(draw, annotation.value),
    );
    listen<{ value: string; range: Range }>('show-annotation', ({ value, range }) => {
      const mark = this.#markAt(value);
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
    await view.renderer.goTo(await this.#beginning(start, locator));
    this.#opened = true;
  }

  async #beginning(start: number, locator: string | null): Promise<Target> {
    const { sections } = this.book;
    if (locator !== null) {
      const target = await this.#view.resolveNavigation(locator);
      if (target && target.index === start) return careful(target);
    }
    const first = Math.max(
      0,
      sections.findIndex((section) => section.linear !== 'no'),
    );
    return { index: start > 0 && start < sections.length ? start : first };
  }

  async #jump(target: Target): Promise<void> {
    const from = this.place?.from ?? null;
    const before = this.#moves;
    await this.#view.renderer.goTo(careful(target));
    if (this.#moves !== before) this.origin = from;
  }

  #relocated({ reason, index }: { reason?: string; index: number }): void {
    const { lastLocation: here, renderer } = this.#view;
    // Without a section there is no place: the paginator lost it.
    if (!here || !Number.isInteger(index)) return;
    const pages = this.fixed || this.scrolled ? null : (renderer.pages ?? 0) - 2;
    const text = here.range?.toString() ?? '';
    this.place = {
      index,
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
    // A page that was only laid out anew is no new place: its first line is another one on each screen.
    const moved = this.#opened && reason !== 'anchor';
    if (moved && ['page', 'snap', 'scroll'].includes(reason ?? '')) this.#steps();
    this.on.onmove(this.place, moved);
  }

  #turned = 0;
  /** Reading on for some pages means that one does not want to go back. */
  #steps(): void {
    this.#turned = this.origin === null ? 0 : this.#turned + 1;
    if (this.#turned > 8) this.origin = null;
  }

  #canScroll(way: 1 | -1): boolean {
    if (!this.scrolled) return false;
    const { start = 0, end = 0, viewSize = 0 } = this.#view.renderer;
    return way === 1 ? viewSize - end > 2 : start > 0;
  }

  /** The last entry of the contents that begins at or before a section. */
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
      tameDocument(doc); // a format that is not unpacked entry by entry passes here first
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
  /** The wheel turns pages, and in one long page goes over the chapter's border. */
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
    // A highlight under the pointer answers after this.
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
      const range = tight(selection.getRangeAt(0));
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

  #paintSection(index: number): void {
    for (const mark of this.#marks) if (mark.position === index) this.#paint(mark.locator);
    if (this.#found !== null) this.#paint(this.#found);
  }

  #paint(locator: string | null): void {
    if (locator !== null) void this.#view.addAnnotation({ value: locator }).catch(() => {});
  }

  /** Paints the same words as they are marked now: what was painted of them before goes. */
  #repaint(locator: string | null): void {
    if (this.#markAt(locator) || locator === this.#found) this.#paint(locator);
    else if (locator !== null) void this.#view.deleteAnnotation({ value: locator }).catch(() => {});
  }

  /** The one that is seen where several mark the very same words: the last one made. */
  #markAt(locator: string | null): Annotation | undefined {
    return this.#marks.findLast((mark) => mark.locator === locator);
  }

  #draw(draw: (how: unknown, options: object) => void, value: string): void {
    const mark = this.#markAt(value);
    if (mark) draw(Overlayer.highlight, { color: colourOf(mark.color), padding: 1 });
    else if (value === this.#found) draw(Overlayer.outline, { color: FOUND, width: 2, padding: 2 });
  }
}

export function colourOf(name: string | null): string {
  if (name !== null && Object.hasOwn(MARKS, name)) return MARKS[name as MarkColour];
  return name?.startsWith('#') ? name : MARKS.yellow;
}
