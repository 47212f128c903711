/** The text of the search field. It is part of the address, so that back and reload keep it. */
import type { Router } from '../app/router.svelte';

/** Milliseconds after the last key until the search starts. */
const WAIT = 180;

export class SearchField {
  text = $state('');
  /** The search of the address. */
  readonly #asked = $derived.by(() =>
    this.router.path === '/search' ? (this.router.query.get('q') ?? '') : '',
  );
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True after the arrival of the first page of the tab. */
  #hasArrived = false;
  /** True from the start of a search until its page is shown. */
  #isLeaving = false;
  /** True while this field starts a page change. */
  #isSearching = false;

  constructor(
    private readonly router: Pick<
      Router,
      'path' | 'query' | 'navigate' | 'updateQuery' | 'onmove' | 'current'
    >,
  ) {}

  /** Follows the page changes. The returned function stops that and a pending search. */
  start(): () => void {
    this.#hasArrived = this.router.current !== null;
    const release = this.router.onmove(() => this.#move());
    return () => {
      release();
      this.#drop();
    };
  }

  /** Takes the text of the address, except while the user types. Call it again after the address changed. */
  follow(): void {
    const asked = this.#asked;
    if (this.#timer === undefined && !this.#isLeaving) this.text = asked;
    if (this.router.path === '/search') this.#isLeaving = false;
  }

  typed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.search(), WAIT);
  }

  search(): void {
    // The first page of the tab would replace the search.
    if (this.router.current === null) {
      this.typed();
      return;
    }
    this.#drop();
    const q = this.text.trim();
    if (this.router.path === '/search') {
      // Another query is searched with similar words again.
      const exact: Record<string, null> = q === this.#asked.trim() ? {} : { fuzzy: null };
      this.router.updateQuery({ q: q === '' ? null : this.text, kind: null, ...exact });
    } else if (q !== '') {
      this.#isSearching = true;
      // During the page change, further input replaces the history entry instead of adding another.
      const to = `/search?q=${encodeURIComponent(this.text)}`;
      this.#isLeaving = this.router.navigate(to, { replace: this.#isLeaving });
      this.#isSearching = false;
    }
  }

  clear(): void {
    this.text = '';
    this.search();
  }

  /** Another page change discards the pending search, which would undo it. */
  #move(): void {
    if (this.#isSearching) return;
    // The arrival of the first page changes no text that the user types meanwhile.
    const isFirst = !this.#hasArrived;
    this.#hasArrived = true;
    if (isFirst && this.#timer !== undefined) return;
    this.#drop();
    this.#isLeaving = false;
    this.text = this.#asked;
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
