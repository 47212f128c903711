/** An open book, with elements that do no layout. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Annotation } from '../../../src/api/models';
import type { Book, Target } from '../../../src/viewers/epub/book/book';
import { Reader, type Handlers } from '../../../src/viewers/epub/reader.svelte';
import { MARKS } from '../../../src/viewers/epub/highlights';
import { ReadingSettings } from '../../../src/viewers/epub/book/settings.svelte';

vi.mock('foliate-js/view.js', () => ({}));
vi.mock('../../../src/viewers/epub/book/style', () => ({ styles: () => ['', ''], layout: () => ({}) }));

const book = () => ({ sections: [{}], destroy: vi.fn() }) as unknown as Book & { destroy: () => void };
const host = { replaceChildren: () => {} } as unknown as HTMLElement;

function layOut(goTo: (target: unknown) => Promise<void> = async () => {}) {
  const renderer = Object.assign(new EventTarget(), {
    goTo,
    getAttribute: () => null,
    setAttribute: () => {},
    toggleAttribute: () => {},
  });
  const view = Object.assign(new EventTarget(), {
    renderer,
    open: async () => {},
    remove: vi.fn(),
    resolveNavigation: (async () => ({ index: 0 })) as (target: string) => Promise<Target>,
    addAnnotation: vi.fn<(mark: { value: string }) => Promise<void>>(async () => {}),
    deleteAnnotation: vi.fn<(mark: { value: string }) => Promise<void>>(async () => {}),
  });
  vi.stubGlobal('document', { createElement: () => view });
  return view;
}
const open = (of: Book, on: Partial<Handlers> = {}) =>
  Reader.open(
    host,
    of,
    new ReadingSettings(false).value,
    { start: 0, locator: null, within: null },
    on as Handlers,
  );

beforeEach(() => void vi.stubGlobal('matchMedia', () => ({ matches: false })));
afterEach(() => vi.unstubAllGlobals());

describe('an EPUB book', () => {
  it('releases its resources if it does not open', async () => {
    const view = layOut(() => Promise.reject(new Error('left')));
    const left = book();
    await expect(open(left)).rejects.toThrow('left');
    expect(left.destroy).toHaveBeenCalledOnce();
    expect(view.remove).toHaveBeenCalledOnce();
  });

  it('opens inside the section, unless the exact line is known', async () => {
    const targets: { index: number; anchor?: (doc: Document) => unknown }[] = [];
    const view = layOut(async (target) => void targets.push(target as (typeof targets)[number]));
    view.resolveNavigation = async () => ({ index: 1, anchor: () => null });
    const of = () => ({ ...book(), sections: [{}, {}, {}] }) as unknown as Book;
    const settings = new ReadingSettings(false).value;
    const at = (start: number, locator: string | null, within: number | null) =>
      Reader.open(host, of(), settings, { start, locator, within }, {} as Handlers);
    await at(1, null, 0.25);
    await at(1, 'line', 0.25);
    await at(7, null, 0.25);
    const anchors = targets.map(({ index, anchor }) => [index, anchor?.({} as Document)]);
    expect(anchors).toEqual([
      [1, 0.25],
      [1, null],
      [0, undefined],
    ]);
  });

  it('reports the position inside the section', async () => {
    const view = layOut();
    const moves: (number | null)[] = [];
    await open(book(), { onmove: ({ within }) => moves.push(within) });
    Object.assign(view, { lastLocation: { fraction: 0.5, cfi: 'epubcfi(/6/2!/4/2)' } });
    const relocate = (fraction?: number) =>
      view.renderer.dispatchEvent(
        new CustomEvent('relocate', { detail: { reason: 'page', index: 0, fraction } }),
      );
    relocate(0.123456);
    relocate(1.2);
    relocate();
    expect(moves).toEqual([0.1235, 1, null]);
  });

  it('highlights the words of the latest search, and none after it is closed', async () => {
    const view = layOut();
    const reader = await open(book());
    const arrivals = new Map<string, () => void>();
    view.resolveNavigation = (target) =>
      new Promise((resolve) => arrivals.set(target, () => resolve({ index: 0 })));
    const shown = [reader.show('first'), reader.show('second')];
    arrivals.get('second')!();
    arrivals.get('first')!();
    await Promise.all(shown);
    expect(view.addAnnotation.mock.calls).toEqual([[{ value: 'second' }]]);
    const late = reader.show('third');
    await reader.show(null);
    arrivals.get('third')!();
    await late;
    expect(view.addAnnotation).toHaveBeenCalledOnce();
    expect(view.deleteAnnotation.mock.calls).toEqual([[{ value: 'second' }]]);
  });

  it('shows the latest of several marks on the same words, and the next one after its removal', async () => {
    const view = layOut();
    const opened: number[] = [];
    const reader = await open(book(), { onmark: (id) => opened.push(id) });
    const mark = (id: number, color: string) => ({ id, color, locator: 'words', position: 0 }) as Annotation;
    const [yellow, pink] = [mark(1, 'yellow'), mark(2, 'pink')];
    /** The colour of what is painted; foliate-js asks for it with each painting. */
    const painted = () => {
      const draw = vi.fn<(how: unknown, options: { color: string }) => void>();
      view.dispatchEvent(
        new CustomEvent('draw-annotation', { detail: { draw, annotation: { value: 'words' } } }),
      );
      return draw.mock.calls[0]?.[1].color;
    };
    reader.mark([yellow, pink]);
    expect(painted()).toBe(MARKS.pink);
    vi.stubGlobal('DOMRect', class {});
    const range = { getBoundingClientRect: () => ({ x: 0, y: 0, width: 9, height: 9 }) };
    view.dispatchEvent(new CustomEvent('show-annotation', { detail: { value: 'words', range } }));
    expect(opened).toEqual([2]);
    reader.mark([yellow]);
    expect(painted()).toBe(MARKS.yellow);
    expect(view.deleteAnnotation).not.toHaveBeenCalled();
    expect(view.addAnnotation).toHaveBeenCalledTimes(2);
    reader.mark([]);
    expect(painted()).toBeUndefined();
    expect(view.deleteAnnotation.mock.calls).toEqual([[{ value: 'words' }]]);
  });
});
