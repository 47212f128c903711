/** Answers of the server by key: shared while in flight, kept while fresh, aborted when nobody waits any more. */
import { isAbort } from './client';

export type Fetcher<T> = (signal: AbortSignal) => Promise<T>;

export class Query<T> {
  data = $state.raw<T | undefined>(undefined);
  error = $state.raw<unknown>(undefined);
  loading = $state(false);

  #fetchedAt = Number.NEGATIVE_INFINITY;
  #inFlight: { promise: Promise<void>; controller: AbortController } | null = null;
  #holders = 0;

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
    try {
      const data = await this.fetcher(controller.signal);
      if (controller.signal.aborted) return;
      this.data = data;
      this.error = undefined;
      this.#fetchedAt = this.now();
    } catch (error) {
      if (controller.signal.aborted || isAbort(error)) return;
      this.error = error;
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
    if (this.#holders > 0) void this.refetch();
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
    private readonly capacity = 400,
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
    this.#evict();
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

  clear(): void {
    this.#queries.clear();
  }

  #evict(): void {
    if (this.#queries.size <= this.capacity) return;
    const oldest = this.#queries.keys().next();
    if (!oldest.done) this.#queries.delete(oldest.value);
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
