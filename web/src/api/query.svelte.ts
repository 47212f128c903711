/** Answers of the server by key: shared while in flight, kept while fresh, aborted when nobody waits any more. */
import { isAbort, Unreachable } from './client';

export type Fetcher<T> = (signal: AbortSignal) => Promise<T>;

export class Query<T> {
  data = $state.raw<T | undefined>(undefined);
  error = $state.raw<unknown>(undefined);
  loading = $state(false);

  #fetchedAt = Number.NEGATIVE_INFINITY;
  #inFlight: { promise: Promise<void>; controller: AbortController } | null = null;
  #holders = 0;
  #isInvalid = false;

  constructor(
    readonly key: string,
    private readonly fetcher: Fetcher<T>,
    private readonly now: () => number,
  ) {}

  /** Fetches unless what is here is younger than `staleAfter` milliseconds. */
  load(staleAfter: number): Promise<void> {
    if (this.#inFlight) return this.#inFlight.promise;
    if (this.error === undefined && this.now() - this.#fetchedAt < staleAfter) return Promise.resolve();
    return this.refetch();
  }

  refetch(): Promise<void> {
    this.#inFlight?.controller.abort();
    const controller = new AbortController();
    this.loading = true;
    const flight = { controller, promise: this.#run(controller) };
    this.#inFlight = flight;
    return flight.promise;
  }

  async #run(controller: AbortController): Promise<void> {
    this.#isInvalid = false;
    try {
      const data = await this.fetcher(controller.signal);
      if (controller.signal.aborted) return;
      this.data = data;
      this.error = undefined;
      this.#fetchedAt = this.now();
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return;
      this.#isInvalid = error instanceof Unreachable;
      // Content stays on screen while the server is away: the notice of that is not the page's.
      if (this.#isInvalid && this.data !== undefined) this.lapse();
      else this.error = error;
    } finally {
      if (this.#inFlight?.controller === controller) {
        this.#inFlight = null;
        this.loading = false;
      }
    }
  }

  /** Keeps a request alive; the function returned lets it go again. */
  hold(): () => void {
    this.#holders += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#abandon();
    };
  }

  #abandon(): void {
    if (!this.#inFlight) return;
    this.#inFlight.controller.abort();
    this.#inFlight = null;
    this.loading = false;
  }

  /** What is here stays visible, but the next load fetches again. */
  expire(): void {
    this.#fetchedAt = Number.NEGATIVE_INFINITY;
    if (this.held) void this.refetch();
  }

  /** Whether a component shows it. */
  get held(): boolean {
    return this.#holders > 0;
  }

  /** The same, but on screen it stays until the next `renew`. */
  invalidate(): void {
    this.lapse();
    this.#isInvalid = true;
  }

  /** Fetches an invalid answer that is on screen. Returns whether a request under way postpones that. */
  renew(): boolean {
    if (!this.#isInvalid || !this.held) return false;
    if (this.#inFlight) return true;
    void this.refetch();
    return false;
  }

  /** The same, but on screen it stays as it is until it is wanted anew. */
  lapse(): void {
    this.#fetchedAt = Number.NEGATIVE_INFINITY;
  }

  set(data: T): void {
    this.data = data;
    this.error = undefined;
    this.#fetchedAt = this.now();
  }
}

export class QueryCache {
  readonly #queries = new Map<string, Query<unknown>>();

  constructor(
    private readonly now: () => number = Date.now,
    private readonly capacity = 100,
  ) {}

  get<T>(key: string, fetcher: Fetcher<T>): Query<T> {
    const known = this.#queries.get(key);
    if (known) {
      this.#queries.delete(key);
      this.#queries.set(key, known);
      return known as Query<T>;
    }
    const query = apart(() => new Query<T>(key, fetcher, this.now));
    this.#queries.set(key, query as Query<unknown>);
    this.#evict(key);
    return query;
  }

  /** Everything whose key starts with `prefix` is fetched again when next wanted, at once where it is on screen. */
  expire(prefix: string): void {
    for (const [key, query] of this.#queries) if (key.startsWith(prefix)) query.expire();
  }

  /** Everything whose key starts with `prefix` is fetched again when next wanted, and not before. */
  lapse(prefix: string): void {
    for (const [key, query] of this.#queries) if (key.startsWith(prefix)) query.lapse();
  }

  /** Marks answers for the next `renew`. Returns whether one of them is on screen. */
  invalidate(fits: (key: string, data: unknown) => boolean): boolean {
    let shown = false;
    for (const [key, query] of this.#queries) {
      if (!fits(key, query.data)) continue;
      query.invalidate();
      shown ||= query.held;
    }
    return shown;
  }

  /** Fetches the invalid answers that are on screen. Returns whether some wait for a request under way. */
  renew(): boolean {
    let waits = false;
    for (const query of this.#queries.values()) if (query.renew()) waits = true;
    return waits;
  }

  /** What is here under a key, without asking for it. */
  peek<T>(key: string): T | undefined {
    return this.#queries.get(key)?.data as T | undefined;
  }

  clear(): void {
    this.#queries.clear();
  }

  /** What is on screen is never evicted: a later refresh must still find it. */
  #evict(added: string): void {
    let excess = this.#queries.size - this.capacity;
    for (const [key, query] of this.#queries) {
      if (excess <= 0) return;
      if (query.held || key === added) continue;
      this.#queries.delete(key);
      excess -= 1;
    }
  }
}

/**
 * Makes state that whoever is running now can depend on. A template or derived value does not follow state that it
 * made itself, and the first to ask for an answer would otherwise be the one who never sees it arrive.
 */
function apart<T>(make: () => T): T {
  let made: T | undefined;
  const dispose = $effect.root(() => {
    made = make();
  });
  dispose();
  return made as T;
}
