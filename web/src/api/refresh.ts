/**
 * Refreshes visible responses after changes on the server. Changes are collected, and affected responses are fetched at
 * most once in five seconds. A hidden tab fetches nothing.
 */
import type { EnrichmentEvent, Live, LiveEvent, ScanEvent } from './live.svelte';
import { isBusy } from './live.svelte';
import type { QueryCache } from './query.svelte';
import type { Libraries } from './models';

/** Minimum time between two refreshes, in milliseconds. */
const GAP = 5000;
/** Debounce of related changes before the first refresh, in milliseconds. */
const GATHER = 250;

/** Prefixes of the keys of responses that contain items. */
export const ITEM_KEYS = ['items:', 'item:', 'home', 'search:', 'history', 'playlist', 'collection'];
const COUNTS = ['libraries', 'library:', 'letters:', 'missing:'];
/** Keys of item lists that change only at the end of a scan. */
const SLOW_LISTS = /^items:(series|people):/;

interface Surroundings {
  visible: () => boolean;
  /** Returns true while the server is reachable. Otherwise no request is sent. */
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

  /** Follows the event stream. The returned function stops that. */
  follow(live: Pick<Live, 'on'>): () => void {
    return live.on((event, before) => this.#hear(event, before));
  }

  /** Marks everything as changed. */
  all(): void {
    this.#change(() => true);
  }

  /** The tab became visible or hidden, or the server is reachable again. */
  wake(): void {
    if (this.#isDue) this.#schedule();
  }

  #hear(event: LiveEvent, before: ScanEvent | EnrichmentEvent | undefined): void {
    if (event.type === 'reset') {
      if (event.data.reason === 'returned') this.all();
      else this.#change((key) => startsWith(key, [...ITEM_KEYS, 'jobs:']));
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

  /** A running scan changes lists only while its counters change. Its end can change anything in the library. */
  #scan(scan: ScanEvent, before: ScanEvent | undefined): void {
    const ended = !isBusy(scan) && isBusy(before);
    const moved = before !== undefined && isBusy(scan) && written(scan) !== written(before);
    if (!ended && !moved) return;
    const concerned = this.#of(scan.library_id);
    this.#change(
      (key, data) =>
        startsWith(key, ended ? [...ITEM_KEYS, ...COUNTS, 'jobs:'] : [...ITEM_KEYS, ...COUNTS]) &&
        (ended || !SLOW_LISTS.test(key)) &&
        concerned(key, data),
    );
  }

  #cards(library: number): void {
    const concerned = this.#of(library);
    this.#change((key, data) => startsWith(key, ITEM_KEYS) && !SLOW_LISTS.test(key) && concerned(key, data));
  }

  /** Returns true for keys whose responses can contain items of a library. */
  #of(id: number): (key: string, data: unknown) => boolean {
    const libraries = this.cache.peek<Libraries>('libraries')?.items;
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
    // A response in flight can be older than the change, but it is not aborted.
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
