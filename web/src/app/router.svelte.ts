/** The router: the address bar, its page, and the restored scroll position. */
import { tick, type Component } from 'svelte';
import { translations } from '../i18n';
import { whenIdle } from '../lib/idle';
import { matchFirst, type Params } from '../lib/path-pattern';

/** Loaded after the first page; until then pages change without transitions. */
let transition: typeof import('./after-first-page').transition | undefined;

export interface Route {
  pattern: string;
  /** Loads the code of the page for these parameters. */
  load: (params: Params) => Promise<{ default: Component }>;
  /** True for pages that fill the window, without navigation. */
  bare?: boolean;
}

/** Gets the address of a navigation, or null for a step in the history. True stays on the page. */
type Guard = (to: string | null) => boolean;

interface Arrival {
  page: Component;
  route: Route;
  params: Params;
}

export class Router {
  path = $state('/');
  query = $state.raw(new URLSearchParams());
  current = $state.raw<Arrival | null>(null);
  failed = $state(false);
  /** Number of page changes, counted at their beginning. */
  moves = $state(0);
  /** The two addresses of the current or latest change. */
  between = $state.raw<readonly [string, string]>(['', '']);

  readonly #routes: readonly Route[];
  readonly #scroll = new Map<string, number>();
  #entry = 'first';
  #serial = 0;
  #visits = 0;
  #isLeaving = false;
  readonly #listeners = new Set<() => void>();
  readonly #guards = new Set<Guard>();

  /** Called when the code of a page does not load. */
  onfailed: () => void = () => {};
  /** Called after a page is shown, to move the focus to it. */
  onarrive: () => void = () => {};

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
  }

  get params(): Params {
    return this.current?.params ?? {};
  }

  /** The history entry of the visible page. While the next page loads, the browser's history is ahead of it. */
  get entry(): string {
    return this.#entry;
  }

  start(): () => void {
    history.scrollRestoration = 'manual';
    const onpop = () => {
      if (this.#stays(null)) {
        // Undo the step back: the guard asks first.
        const query = this.query.toString();
        history.pushState({ key: this.#entry }, '', this.path + (query ? `?${query}` : ''));
        return;
      }
      void this.#arrive(location.href, this.#key(), true, null);
    };
    const onclick = (event: MouseEvent) => this.#follow(event);
    addEventListener('popstate', onpop);
    document.addEventListener('click', onclick);
    void this.#arrive(location.href, this.#key(), true, null).then(() =>
      whenIdle(() => void this.#loadRest()),
    );
    return () => {
      removeEventListener('popstate', onpop);
      document.removeEventListener('click', onclick);
    };
  }

  /** Navigates to an address; `link` is the link element, if there is one. Returns false if a guard stays on the page. */
  navigate(to: string, options: { replace?: boolean; link?: Element } = {}): boolean {
    if (this.#stays(to)) return false;
    const key = `${Date.now()}-${this.#visits++}`;
    this.#remember();
    if (options.replace) history.replaceState({ key }, '', to);
    else history.pushState({ key }, '', to);
    void this.#arrive(location.href, key, false, options.link ?? null);
    return true;
  }

  /** Retries the page that did not load. */
  retry(): void {
    if (this.failed) void this.#arrive(location.href, this.#key(), false, null);
  }

  /** Asks `guard` before each page change, and before the guards that were added earlier. Returns the release. */
  guard(guard: Guard): () => void {
    this.#guards.add(guard);
    return () => this.#guards.delete(guard);
  }

  #stays(to: string | null): boolean {
    return [...this.#guards].reverse().some((guard) => guard(to));
  }

  /** Calls `listener` at the beginning of each page change. Returns the release. */
  onmove(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Changes the query of this page without leaving it. Does nothing during a page change. */
  updateQuery(changes: Record<string, string | null>): void {
    if (this.#isLeaving) return;
    const query = new URLSearchParams(this.query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    history.replaceState(history.state, '', this.path + (text ? `?${text}` : ''));
    this.query = query;
  }

  /** Goes one step back, or to `fallback` from the first page. */
  back(fallback: string): void {
    if (this.#visits > 0) history.back();
    else this.navigate(fallback, { replace: true });
  }

  /** Loads what the first page does not need. Without it, pages change at once, and a reload begins at the top. */
  async #loadRest(): Promise<void> {
    try {
      const rest = await import('./after-first-page');
      transition = rest.transition;
      rest.start(this);
    } catch {
      // The server is unreachable, or was upgraded.
    }
  }

  #key(): string {
    return (history.state as { key?: string } | null)?.key ?? 'first';
  }

  #remember(): void {
    this.#scroll.set(this.#entry, scrollY);
  }

  async #arrive(href: string, key: string, restore: boolean, link: Element | null): Promise<void> {
    const serial = ++this.#serial;
    this.moves = serial;
    for (const listener of this.#listeners) listener();
    this.#isLeaving = true;
    if (restore && key !== this.#entry) this.#remember();
    const url = new URL(href);
    const found = matchFirst(this.#routes, url.pathname);
    const route = found?.route ?? this.#routes.at(-1);
    if (!route) return;
    let page: Component;
    try {
      page = (await route.load(found?.params ?? {})).default;
      if (this.failed) await (await import('../lib/stylesheets')).loadMissingStylesheets();
      await translations();
    } catch {
      // The server is unreachable, or was upgraded. The visible page stays.
      if (serial !== this.#serial) return;
      this.failed = true;
      this.onfailed();
      return;
    }
    if (serial !== this.#serial) return;
    // The first page replaces no other: a transition would only delay it.
    const isPlain = this.current === null || this.current.page === page;
    this.between = [this.path, url.pathname];
    await tick();
    const show = async () => {
      // A transition applies its change asynchronously, and also if it is skipped.
      if (serial !== this.#serial) return false;
      this.#isLeaving = false;
      this.failed = false;
      this.path = url.pathname;
      this.query = url.searchParams;
      this.current = { page, route, params: found?.params ?? {} };
      this.#entry = key;
      await tick();
      if (serial !== this.#serial) return false;
      scrollTo(0, restore ? (this.#scroll.get(key) ?? 0) : 0);
      return true;
    };
    if (isPlain || !transition) await show();
    else await transition(this.between, link, show);
    if (serial === this.#serial) this.onarrive();
  }

  #follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
    if (link.getAttribute('href')?.startsWith('#') || link.pathname.startsWith('/api/')) return;
    event.preventDefault();
    this.navigate(link.pathname + link.search + link.hash, { link });
  }
}
