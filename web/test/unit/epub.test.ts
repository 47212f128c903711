/** A book on the screen, over elements that lay nothing out. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Book } from '../../src/viewers/epub/book';
import { Reader, type Handlers } from '../../src/viewers/epub/reader.svelte';
import { ReadingSettings } from '../../src/viewers/epub/settings.svelte';

vi.mock('foliate-js/view.js', () => ({}));
vi.mock('../../src/viewers/epub/style', () => ({ styles: () => ['', ''], layout: () => ({}) }));

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
    resolveNavigation: async (_: string) => ({ index: 0, anchor: null }),
    addAnnotation: vi.fn(async () => {}),
    deleteAnnotation: vi.fn(async () => {}),
  });
  vi.stubGlobal('document', { createElement: () => view });
  return view;
}
const open = (of: Book) => Reader.open(host, of, new ReadingSettings(false).value, { start: 0, locator: null }, {} as Handlers);

beforeEach(() => void vi.stubGlobal('matchMedia', () => ({ matches: false })));
afterEach(() => vi.unstubAllGlobals());

describe('a book', () => {
  it('that does not open gives back what it had loaded', async () => {
    const view = layOut(() => Promise.reject(new Error('left')));
    const left = book();
    await expect(open(left)).rejects.toThrow('left');
    expect(left.destroy).toHaveBeenCalledOnce();
    expect(view.remove).toHaveBeenCalledOnce();
  });
});
