import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const page = { height: 900, type: 'reload' };
let stored: Map<string, string>;
let listeners: Map<string, () => void>;
let resize: () => void;
let leave: () => void;
/** The path of the page that is visible. */
let shown: string;
const moved = vi.fn();

beforeEach(() => {
  vi.resetModules();
  vi.useFakeTimers();
  Object.assign(page, { height: 900, type: 'reload' });
  stored = new Map();
  listeners = new Map();
  moved.mockClear();
  shown = '/library/books';
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  });
  vi.stubGlobal('location', { href: 'http://ledge/library/books?sort=year', pathname: '/library/books' });
  vi.stubGlobal('performance', { getEntriesByType: () => [{ type: page.type }] });
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) => listeners.set(name, listener));
  vi.stubGlobal('removeEventListener', (name: string) => listeners.delete(name));
  vi.stubGlobal('innerHeight', 900);
  vi.stubGlobal('scrollY', 0);
  vi.stubGlobal('scrollTo', moved);
  vi.stubGlobal('document', {
    body: {},
    documentElement: {
      get scrollHeight() {
        return page.height;
      },
    },
  });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(act: () => void) {
        resize = act;
      }
      observe() {}
      disconnect() {
        resize = () => {};
      }
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Loads the module as a new document does. */
async function visit() {
  vi.resetModules();
  const { keepPosition } = await import('../../../src/app/reload-position');
  resize = () => {};
  keepPosition({
    onmove: (listener) => {
      leave = listener;
      return () => {};
    },
    path: shown,
  });
}

/** Leaves a page at a position, and loads it again. */
async function reload(position = 5000) {
  await visit();
  vi.stubGlobal('scrollY', position);
  listeners.get('pagehide')?.();
  vi.stubGlobal('scrollY', 0);
  await visit();
}

it('the position returns after a reload, once the page is long enough', async () => {
  await reload();
  resize();
  expect(moved).not.toHaveBeenCalled();
  page.height = 20_000;
  resize();
  expect(moved.mock.calls).toEqual([[0, 5000]]);
  resize();
  expect(moved).toHaveBeenCalledOnce();
});

it('the position survives a second reload before the content has arrived', async () => {
  await reload();
  listeners.get('pagehide')?.();
  await visit();
  page.height = 20_000;
  resize();
  expect(moved.mock.calls).toEqual([[0, 5000]]);
});

it.each([
  ['the user scrolls', () => listeners.get('wheel')?.()],
  ['the user opens another page', () => leave()],
  ['the user drags the scrollbar', () => (vi.stubGlobal('scrollY', 40), resize())],
  ['the content stays away', () => vi.advanceTimersByTime(60_000)],
])('the position is given up when %s', async (_, act) => {
  await reload();
  act();
  page.height = 20_000;
  resize();
  expect(moved).not.toHaveBeenCalled();
  expect([...listeners.keys()]).toEqual(['pagehide']);
});

it('the position of a page is not stored for the next one, which is still loading', async () => {
  shown = '/';
  await reload();
  page.height = 20_000;
  resize();
  expect(moved).not.toHaveBeenCalled();
});

it.each([
  ['a link to the same page', () => (page.type = 'navigate')],
  ['another address', () => vi.stubGlobal('location', { href: 'http://ledge/library/books' })],
  ['an invalid entry', () => stored.set('ledge.scroll', '["http://ledge/library/books?sort=year","x"]')],
  ['a page that the user has scrolled', () => vi.stubGlobal('scrollY', 40)],
  ['absent storage', () => vi.stubGlobal('sessionStorage', undefined)],
])('%s begins at its own position', async (_, change) => {
  await visit();
  vi.stubGlobal('scrollY', 5000);
  listeners.get('pagehide')?.();
  vi.stubGlobal('scrollY', 0);
  change();
  page.height = 20_000;
  await visit();
  resize();
  expect(moved).not.toHaveBeenCalled();
});
