/** Paints the annotations of a book and the shown search result. */
import { Overlayer } from 'foliate-js/overlayer.js';
import type { Annotation } from '../../api/models';
import type { View } from './book/view';

export const MARKS = {
  yellow: '#f5c944',
  green: '#84c46c',
  blue: '#6fb1e8',
  pink: '#ee8ab0',
} as const;
export type MarkColour = keyof typeof MARKS;
const SEARCH_RESULT = '#d8722c';

export class Highlights {
  #marks: readonly Annotation[] = [];
  #result: string | null = null;

  constructor(private readonly view: Pick<View, 'addAnnotation' | 'deleteAnnotation'>) {}

  /** Replaces the annotations. Only changed ones are painted again. */
  set(marks: readonly Annotation[]): void {
    const before = this.#marks;
    this.#marks = marks;
    const changed = [...before, ...marks].filter((mark) => !before.includes(mark) || !marks.includes(mark));
    for (const locator of new Set(changed.map((mark) => mark.locator))) this.#repaint(locator);
  }

  /** Highlights a search result instead of the previous one. */
  showResult(locator: string | null): void {
    const before = this.#result;
    this.#result = locator;
    this.#repaint(before);
    this.#paint(locator);
  }

  /** Returns the visible one of several annotations of the same text: the latest. */
  at(locator: string | null): Annotation | undefined {
    return this.#marks.findLast((mark) => mark.locator === locator);
  }

  paintSection(index: number): void {
    for (const mark of this.#marks) if (mark.position === index) this.#paint(mark.locator);
    this.#paint(this.#result);
  }

  draw(draw: (how: unknown, options: object) => void, locator: string): void {
    const mark = this.at(locator);
    if (mark) draw(Overlayer.highlight, { color: colourOf(mark.color), padding: 1 });
    else if (locator === this.#result)
      draw(Overlayer.outline, { color: SEARCH_RESULT, width: 2, padding: 2 });
  }

  #paint(locator: string | null): void {
    if (locator !== null) void this.view.addAnnotation({ value: locator }).catch(() => {});
  }

  /** Repaints the same text with its current colour. */
  #repaint(locator: string | null): void {
    if (this.at(locator) || locator === this.#result) this.#paint(locator);
    else if (locator !== null) void this.view.deleteAnnotation({ value: locator }).catch(() => {});
  }
}

export function colourOf(name: string | null): string {
  if (name !== null && Object.hasOwn(MARKS, name)) return MARKS[name as MarkColour];
  return name?.startsWith('#') ? name : MARKS.yellow;
}
