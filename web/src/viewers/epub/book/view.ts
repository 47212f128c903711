/** The types of the foliate-js elements that lay out a book, as far as they are used here. */
import type { Book, Target, TocItem } from './book';

export interface Renderer extends HTMLElement {
  page?: number;
  pages?: number;
  atStart?: boolean;
  atEnd?: boolean;
  start?: number;
  end?: number;
  size?: number;
  viewSize?: number;
  goTo(target: Target & { select?: boolean }): Promise<void>;
  next(distance?: number): Promise<void>;
  prev(distance?: number): Promise<void>;
  setStyles?(styles: [string, string]): void;
  focusView?(): void;
  getContents(): { doc: Document; index?: number }[];
}

export interface View extends HTMLElement {
  book: Book;
  renderer: Renderer;
  isFixedLayout: boolean;
  lastLocation: {
    fraction?: number;
    tocItem?: TocItem | null;
    pageItem?: TocItem | null;
    cfi: string;
    range: Range | null;
  } | null;
  open(book: Book): Promise<void>;
  close(): void;
  getCFI(index: number, range?: Range): string;
  resolveNavigation(target: string | { fraction: number }): Promise<Target> | Target | undefined;
  addAnnotation(mark: { value: string }): Promise<unknown>;
  deleteAnnotation(mark: { value: string }): Promise<unknown>;
  getSectionFractions(): number[];
}
