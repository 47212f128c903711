/** The bookmarks and highlights of the user in a file, as stored on the server. */
import * as cfi from 'foliate-js/epubcfi.js';
import type { Annotation } from '../../api/models';
import type { NewAnnotation, ReadingApi } from '../reading/support/requests';

type Api = Pick<ReadingApi, 'annotations' | 'annotate' | 'changeAnnotation' | 'removeAnnotation'>;
type Draft = Pick<NewAnnotation, 'position' | 'locator' | 'type' | 'text' | 'color' | 'note'>;

const WORDS = 10_000;

export class AnnotationStore {
  all = $state.raw<readonly Annotation[]>([]);

  constructor(
    private readonly api: Api,
    private readonly item: number,
    private readonly file: number,
  ) {}

  get bookmarks(): Annotation[] {
    return this.all.filter((mark) => mark.type === 'bookmark');
  }

  get highlights(): Annotation[] {
    return this.all.filter((mark) => mark.type === 'highlight' && mark.locator !== null);
  }

  async load(signal: AbortSignal): Promise<void> {
    const { items } = await this.api.annotations(this.item, signal);
    this.all = items.filter((mark) => mark.file_id === this.file).sort(byPlace);
  }

  async add(draft: Draft): Promise<Annotation> {
    const text = draft.text === null ? null : [...draft.text].slice(0, WORDS).join('');
    const made = await this.api.annotate(this.item, { ...draft, text, file_id: this.file });
    this.all = [...this.all, made].sort(byPlace);
    return made;
  }

  async change(id: number, part: { note?: string | null; color?: string }): Promise<void> {
    const changed = await this.api.changeAnnotation(this.item, id, part);
    this.all = this.all.map((mark) => (mark.id === id ? changed : mark));
  }

  async remove(id: number): Promise<void> {
    await this.api.removeAnnotation(this.item, id);
    this.all = this.all.filter((mark) => mark.id !== id);
  }

  /** Returns the bookmarks between the first and the last line of the page. */
  within(from: string, to: string): Annotation[] {
    return this.bookmarks.filter(({ locator }) => {
      if (locator === null) return false;
      try {
        return cfi.compare(from, locator) <= 0 && cfi.compare(locator, to) <= 0;
      } catch {
        return false; // not written by this version
      }
    });
  }
}

function byPlace(a: Annotation, b: Annotation): number {
  if (a.position !== b.position) return a.position - b.position;
  try {
    return cfi.compare(a.locator ?? '', b.locator ?? '') || a.id - b.id;
  } catch {
    return a.id - b.id;
  }
}
