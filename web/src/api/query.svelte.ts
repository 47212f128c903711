/**
 * Cached responses by key. They are shared while in flight, kept while fresh, and aborted when no component needs them.
 */
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

  /** Fetches unless the cached response is younger than `staleAfter` milliseconds. */
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
      // The content stays on screen while the server is unreachable: the notice above all pages reports that.
      if (this.#isInvalid && this.data !== undefined) this.markStale();
      else this.error = error;
    } finally {
      if (this.#inFlight?.controller === controller) {
        this.#inFlight = null;
        this.loading = false;
      }
    }
  }

  /** Retains the query. The returned function releases it. */
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

  /** Marks the response as stale. It stays visible until the next load fetches again. */
  expire(): void {
    this.#fetchedAt = Number.NEGATIVE_INFINITY;
    if (this.held) void this.refetch();
  }

  /** True while a component shows it. */
  get held(): boolean {
    return this.#holders > 0;
  }

  /** Like `invalidate`, but a visible response stays until the next `renew`. */
  invalidate(): void {
    this.markStale();
    this.#isInvalid = true;
  }

  /** Fetches a stale response that is on screen. Returns true if a request in flight postpones that. */
  renew(): boolean {
    if (!this.#isInvalid || !this.held) return false;
    if (this.#inFlight) return true;
    void this.refetch();
    return false;
  }

  /** Like `invalidate`, but a visible response stays until its next load. */
  markStale(): void {
    this.#fetchedAt = Number.NEGATIVE_INFINITY;
  }

  /** Replaces the response. A request in flight is older, and ends without an effect. */
  set(data: T): void {
    this.#abandon();
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
    const existing = this.#queries.get(key);
    if (existing) {
      this.#queries.delete(key);
      this.#queries.set(key, existing);
      return existing as Query<T>;
    }
    const query = createDetached(() => new Query<T>(key, fetcher, this.now));
    this.#queries.set(key, query as Query<unknown>);
    this.#evict(key);
    return query;
  }

  /** Invalidates all keys that start with `prefix`. Visible responses are fetched at once, others at their next use. */
  expire(prefix: string): void {
    for (const [key, query] of this.#queries) if (key.startsWith(prefix)) query.expire();
  }

  /** Invalidates all keys that start with `prefix`. They are fetched at their next use. */
  markStale(prefix: string): void {
    for (const [key, query] of this.#queries) if (key.startsWith(prefix)) query.markStale();
  }

  /** Marks responses for the next `renew`. Returns true if one of them is on screen. */
  invalidate(fits: (key: string, data: unknown) => boolean): boolean {
    let shown = false;
    for (const [key, query] of this.#queries) {
      if (!fits(key, query.data)) continue;
      query.invalidate();
      shown ||= query.held;
    }
    return shown;
  }

  /** Fetches the stale responses that are on screen. Returns true if some wait for a request in flight. */
  renew(): boolean {
    let waits = false;
    for (const query of this.#queries.values()) if (query.renew()) waits = true;
    return waits;
  }

  /** True while a request of a key that starts with `prefix` is in flight. */
  isLoading(prefix: string): boolean {
    for (const [key, query] of this.#queries) if (key.startsWith(prefix) && query.loading) return true;
    return false;
  }

  /** Returns the cached response of a key without a request. */
  peek<T>(key: string): T | undefined {
    return this.#queries.get(key)?.data as T | undefined;
  }

  clear(): void {
    this.#queries.clear();
  }

  /** Visible responses are never evicted, because a later refresh must find them. */
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
 * Creates state outside the running effect. A template or derived value does not track state that it created. Without
 * this, the first component to request a response would never see it arrive.
 */
function createDetached<T>(make: () => T): T {
  let made: T | undefined;
  const dispose = $effect.root(() => {
    made = make();
  });
  dispose();
  return made as T;
}
