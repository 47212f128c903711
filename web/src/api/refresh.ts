/**
 * Refreshes what is on screen after changes on the server. Changes are collected; at most once in five seconds the
 * answers they concern are fetched again, and only those that a page shows. A hidden tab fetches nothing.
 */
import type { EnrichmentEvent, Live, LiveEvent, ScanEvent } from './live.svelte';
import { isBusy } from './live.svelte';
import type { QueryCache } from './query.svelte';
import type { Library, List } from './types';

/** Least time between two refreshes, in milliseconds. */
const GAP = 5000;
/** Time in which changes that belong together are collected before the first refresh. */
const GATHER = 250;

const CARDS = ['items:', 'home', 'search:', 'item:', 'history'];
const COUNTS = ['libraries', 'library:', 'letters:', 'missing:'];
/** Keys of item lists that only the end of a scan changes. */
const SLOW_LISTS = /^items:(series|people):/;

interface Surroundings {
  visible: () => boolean;
  /** Whether the server answers: without it nothing is asked. */
  reachable: () => boolean;
}

type Cache = Pick<QueryCache, 'invalidate' | 'renew' | 'peek'>;

export class Refresher {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #isDue = false;

  constructor(
    private readonly cache: Cache,
    private readonly around: Surroundings,
  ) {}

  /** Follows the event stream; the function returned stops that. */
  follow(live: Pick<Live, 'on'>): () => void {
    return live.on((event, before) => this.#hear(event, before));
  }

  /** Everything may have changed. */
  all(): void {
    this.#change(() => true);
  }

  /** The tab was shown or hidden, or the server is back. */
  wake(): void {
    if (this.#isDue) this.#schedule();
  }

  #hear(event: LiveEvent, before: ScanEvent | EnrichmentEvent | undefined): void {
    if (event.type === 'reset') {
      if (event.data.reason === 'returned') this.all();
      else this.#change((key) => startsWith(key, [...CARDS, 'jobs:']));
    } else if (event.type === 'job') {
      this.#change((key) => key.startsWith('jobs:'));
    } else if (event.type === 'covers') {
      this.#cards(event.data.library_id);
    } else if (event.type === 'enrichment') {
      const found = before as EnrichmentEvent | undefined;
      if (found && found.matched !== event.data.matched) this.#cards(event.data.library_id);
    } else {
      this.#scan(event.data, before as ScanEvent | undefined);
    }
  }

  /** A scan that goes on changes lists as far as its counters move; its end may change anything of the library. */
  #scan(scan: ScanEvent, before: ScanEvent | undefined): void {
    const ended = !isBusy(scan) && isBusy(before);
    const moved = before !== undefined && isBusy(scan) && written(scan) !== written(before);
    if (!ended && !moved) return;
    const concerned = this.#of(scan.library_id);
    this.#change(
      (key, data) =>
        startsWith(key, ended ? [...CARDS, ...COUNTS, 'jobs:'] : [...CARDS, ...COUNTS]) &&
        (ended || !SLOW_LISTS.test(key)) &&
        concerned(key, data),
    );
  }

  #cards(library: number): void {
    const concerned = this.#of(library);
    this.#change((key, data) => startsWith(key, CARDS) && !SLOW_LISTS.test(key) && concerned(key, data));
  }

  /** Tells which answers may contain items of a library. */
  #of(id: number): (key: string, data: unknown) => boolean {
    const libraries = this.cache.peek<List<Library>>('libraries')?.items;
    const kinds = libraries?.find((library) => library.id === id)?.kinds ?? null;
    const holds = (kind: unknown) => kinds === null || typeof kind !== 'string' || kinds.includes(kind);
    return (key, data) => {
      if (/^(items|letters):\{/.test(key)) {
        const filter = filterOf(key);
        return (filter.library == null || filter.library === id) && holds(filter.kind);
      }
      if (key.startsWith('library:')) return key === `library:${id}`;
      if (key.startsWith('item:')) return holds((data as { kind?: unknown } | undefined)?.kind);
      return true;
    };
  }

  #change(fits: (key: string, data: unknown) => boolean): void {
    if (this.cache.invalidate(fits)) this.#schedule();
  }

  #schedule(): void {
    this.#isDue = true;
    if (!this.around.visible() || !this.around.reachable()) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      return;
    }
    this.#timer ??= setTimeout(() => this.#refresh(), Math.max(GATHER, this.#lastAt + GAP - Date.now()));
  }

  #refresh(): void {
    this.#timer = undefined;
    if (!this.around.visible() || !this.around.reachable()) return;
    this.#isDue = false;
    this.#lastAt = Date.now();
    // An answer that is still on its way is older than the change, and is not broken off for it.
    if (this.cache.renew()) this.#schedule();
  }
}

function written(scan: ScanEvent): number {
  return scan.added + scan.updated + scan.moved + scan.missing + scan.restored;
}

function startsWith(key: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => key.startsWith(prefix));
}

function filterOf(key: string): { kind?: unknown; library?: number | null } {
  try {
    return JSON.parse(key.slice(key.indexOf('{'), key.lastIndexOf('}') + 1)) as { kind?: unknown };
  } catch {
    return {};
  }
}
