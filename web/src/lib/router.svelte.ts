/** Where the reader is: the address bar, the page it names, and the way back to where one scrolled. */
import { tick, untrack, type Component } from 'svelte';
import { matchFirst, type Params } from './match';

/** Comes after the first page; until then pages change without moving covers. */
let nameCovers: typeof import('./travel').nameCovers = () => () => {};

export interface Route {
  pattern: string;
  /** Loads the code of the page at an address with these parameters. */
  load: (params: Params) => Promise<{ default: Component }>;
  /** Fills the window: no rail, no tabs. */
  bare?: boolean;
}

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
  /** Counts the changes of page, from the moment they begin. */
  moves = $state(0);
  /** The two addresses of the change under way or last made. */
  between = $state.raw<readonly [string, string]>(['', '']);

  readonly #routes: readonly Route[];
  readonly #scroll = new Map<string, number>();
  #entry = 'first';
  #serial = 0;
  #visits = 0;
  #isLeaving = false;
  #guard: (() => boolean) | null = null;

  /** Called where the code of a page did not load. */
  onfailed: () => void = () => {};
  /** Called after a page stands: moves the focus to it. */
  onarrive: () => void = () => {};

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
  }

  get params(): Params {
    return this.current?.params ?? {};
  }

  /** The entry of the history whose page stands: while the next one comes, the history is ahead of it. */
  get entry(): string {
    return this.#entry;
  }

  start(): () => void {
    history.scrollRestoration = 'manual';
    const onpop = () => {
      if (this.#guard?.()) {
        // The step back is undone: the guard asks first.
        const query = this.query.toString();
        history.pushState({ key: this.#entry }, '', this.path + (query ? `?${query}` : ''));
        return;
      }
      void this.#arrive(location.href, this.#key(), true, null);
    };
    const onclick = (event: MouseEvent) => this.#follow(event);
    addEventListener('popstate', onpop);
    document.addEventListener('click', onclick);
    void this.#arrive(location.href, this.#key(), true, null).then(async () => {
      ({ nameCovers } = await import('./travel').catch(() => ({ nameCovers })));
    });
    return () => {
      removeEventListener('popstate', onpop);
      document.removeEventListener('click', onclick);
    };
  }

  /** Goes to an address; `link` is the element that leads there, where there is one. */
  navigate(to: string, options: { replace?: boolean; link?: Element } = {}): void {
    const key = `${Date.now()}-${this.#visits++}`;
    this.#remember();
    if (options.replace) history.replaceState({ key }, '', to);
    else history.pushState({ key }, '', to);
    void this.#arrive(location.href, key, false, options.link ?? null);
  }

  /** Loads again the page that did not load. */
  retry(): void {
    if (this.failed) void this.#arrive(location.href, this.#key(), false, null);
  }

  /** Asks `guard` before a step through the history; it returns true to stay. Returns the release. */
  guard(guard: () => boolean): () => void {
    this.#guard = guard;
    return () => {
      if (this.#guard === guard) this.#guard = null;
    };
  }

  /** Changes the query of this page without leaving it; while one leaves it, nothing. */
  amend(changes: Record<string, string | null>): void {
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

  /** One step back, or to `fallback` where this page was the first one. */
  back(fallback: string): void {
    if (this.#visits > 0) history.back();
    else this.navigate(fallback, { replace: true });
  }

  #key(): string {
    return (history.state as { key?: string } | null)?.key ?? 'first';
  }

  #remember(): void {
    this.#scroll.set(this.#entry, scrollY);
  }

  async #arrive(href: string, key: string, restore: boolean, link: Element | null): Promise<void> {
    const serial = ++this.#serial;
    this.moves = untrack(() => this.moves) + 1; // it starts within an effect
    this.#isLeaving = true;
    if (restore && key !== this.#entry) this.#remember();
    const url = new URL(href);
    const found = matchFirst(this.#routes, url.pathname);
    const route = found?.route ?? this.#routes.at(-1);
    if (!route) return;
    let page: Component;
    try {
      page = (await route.load(found?.params ?? {})).default;
    } catch {
      // The server is away, or was upgraded. The page that is shown stays.
      if (serial !== this.#serial) return;
      this.failed = true;
      this.onfailed();
      return;
    }
    if (serial !== this.#serial) return;
    const samePage = this.current?.page === page;
    this.between = [this.path, url.pathname];
    await tick();
    await transition(samePage, this.between, link, async () => {
      // A transition makes its change late, and one that is skipped makes it all the same.
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
    });
    if (serial === this.#serial) this.onarrive();
  }

  #follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
    if (link.getAttribute('href')?.startsWith('#') || link.pathname.startsWith('/api/')) return;
    event.preventDefault();
    this.navigate(link.pathname + link.search, { link });
  }
}

/** Makes a change of page with an animation where one is wanted. `change` returns whether its page is shown. */
async function transition(
  plain: boolean,
  between: readonly string[],
  link: Element | null,
  change: () => Promise<boolean>,
): Promise<void> {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (plain || still || !('startViewTransition' in document) || document.hidden) {
    await change();
    return;
  }
  let unname = nameCovers(between, link);
  const running = document.startViewTransition(async () => {
    unname();
    if (await change()) unname = nameCovers(between, null);
  });
  // A newer transition may skip this one's animation; the change itself still counts.
  running.ready.catch(() => {});
  running.finished.catch(() => {}).finally(() => unname());
  await running.updateCallbackDone;
}
