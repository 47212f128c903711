import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Component } from 'svelte';
import { Router, type Route } from '../../../src/app/router.svelte';

vi.mock('../../../src/app/prefetch-pages', () => ({ prefetchPages: () => {} }));

const page = (name: string) => ({ name }) as unknown as Component;
const [list, other] = [page('list'), page('other')];
let late: { resolve: () => void } | null;

const routes: Route[] = [
  { pattern: '/list/:id', load: async () => ({ default: list }) },
  { pattern: '/other', load: async () => ({ default: other }) },
  {
    pattern: '/late',
    load: () => new Promise((resolve) => (late = { resolve: () => resolve({ default: page('late') }) })),
  },
];

let entry: { href: string; state: unknown };
let changes: (() => Promise<void>)[];
let stepBack: () => void;
let click: (event: object) => void;
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(() => {
  late = null;
  changes = [];
  entry = { href: 'http://ledge/list/1', state: null };
  const put = (state: unknown, _: string, to: string) =>
    (entry = { href: new URL(to, entry.href).href, state });
  vi.stubGlobal('location', {
    origin: 'http://ledge',
    get href() {
      return entry.href;
    },
  });
  vi.stubGlobal('history', {
    get state() {
      return entry.state;
    },
    pushState: put,
    replaceState: put,
  });
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  vi.stubGlobal('scrollY', 0);
  vi.stubGlobal('scrollTo', vi.fn());
  vi.stubGlobal('addEventListener', (name: string, listener: () => void) => {
    if (name === 'popstate') stepBack = listener;
  });
  vi.stubGlobal('requestIdleCallback', (act: () => void) => act());
  vi.stubGlobal('document', {
    hidden: false,
    addEventListener: (_: string, listener: () => void) => (click = listener),
    // Like browsers: the change runs in a later frame, also if the transition is skipped.
    startViewTransition: (change: () => Promise<void>) => {
      const updateCallbackDone = new Promise<void>((resolve) => changes.push(() => change().then(resolve)));
      return { ready: Promise.resolve(), finished: Promise.resolve(), updateCallbackDone };
    },
  });
});
afterEach(() => vi.unstubAllGlobals());

async function started() {
  const router = new Router(routes);
  router.start();
  await settle();
  await vi.dynamicImportSettled(); // the transitions
  return router;
}

describe('the router', () => {
  it('discards the page of a superseded transition', async () => {
    const router = await started();
    expect(router.path).toBe('/list/1');
    const arrived = vi.fn();
    router.onarrive = arrived;
    router.navigate('/other');
    await settle();
    expect(changes).toHaveLength(1);
    router.navigate('/list/2'); // the page that stands: no transition
    await settle();
    expect(router.path).toBe('/list/2');
    await changes[0]!();
    await settle();
    expect(router.path).toBe('/list/2');
    expect(router.current?.page).toBe(list);
    expect(arrived).toHaveBeenCalledOnce();
  });

  it('does not write the query of the old page into the address of the new one', async () => {
    const router = await started();
    router.navigate('/late');
    router.updateQuery({ q: 'mob' });
    expect(entry.href).toBe('http://ledge/late');
    late?.resolve();
    await settle();
    await changes.shift()?.();
    await settle();
    router.updateQuery({ q: 'mob' });
    expect(entry.href).toBe('http://ledge/late?q=mob');
  });

  it('reports a navigation at its start, not after the page has loaded', async () => {
    const router = await started();
    const before = router.moves;
    router.navigate('/late');
    expect(router.moves).toBe(before + 1);
    expect(router.path).toBe('/list/1');
  });

  it('asks the latest guard first, before links, navigation and steps back', async () => {
    const router = await started();
    const asked: string[] = [];
    const guard = (name: string, stays: (to: string | null) => boolean) =>
      router.guard((to) => {
        asked.push(`${name} ${to}`);
        return stays(to);
      });
    const releaseForm = guard('form', () => true);
    const releaseDialog = guard('dialog', (to) => to === null);
    expect(router.navigate('/other?a=1#b')).toBe(false);
    expect([asked, entry.href]).toEqual([
      ['dialog /other?a=1#b', 'form /other?a=1#b'],
      'http://ledge/list/1',
    ]);
    stepBack();
    releaseDialog();
    stepBack();
    expect(asked.slice(2)).toEqual(['dialog null', 'form null']);
    releaseForm();
    expect(router.navigate('/other')).toBe(true);
    expect(entry.href).toBe('http://ledge/other');
  });

  it('keeps the hash of a link', async () => {
    const router = await started();
    const navigate = vi.spyOn(router, 'navigate').mockReturnValue(true);
    const link = { origin: location.origin, pathname: '/other', search: '?a=1', hash: '#b', target: '' };
    const target = { closest: () => ({ ...link, hasAttribute: () => false, getAttribute: () => '/other' }) };
    click({ button: 0, target, preventDefault: () => {} });
    expect(navigate.mock.calls[0]?.[0]).toBe('/other?a=1#b');
  });

  it('keeps the entry of its page until another has loaded, although the history is ahead', async () => {
    const router = await started();
    expect(router.entry).toBe('first');
    router.navigate('/late');
    await settle();
    late?.resolve();
    await settle();
    expect([router.path, router.entry]).toEqual(['/list/1', 'first']);
    await changes.shift()?.();
    await settle();
    expect([router.path, router.entry]).toEqual(['/late', (entry.state as { key: string }).key]);
  });
});
