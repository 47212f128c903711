/** Repeats requests of a page. A hidden page, and an unreachable server, get no request. */
import type { Query } from '../query.svelte';

/** Milliseconds between two looks at the clock. */
const TICK = 1000;

type Polled = Pick<Query<unknown>, 'hold' | 'refetch' | 'loading' | 'data'>;

export interface Repeated {
  query: Polled;
  /** Milliseconds between the starts of two requests. */
  every: number;
}

export interface Surroundings {
  visible: () => boolean;
  reachable: () => boolean;
}

export class Poll {
  /** The current time in milliseconds. It does not advance while the page is hidden. */
  now = $state(Date.now());
  /** Time of the latest response to the first request, in milliseconds; null before it. */
  updatedAt = $state<number | null>(null);

  readonly #starts = new Map<Repeated, number>();

  constructor(
    private readonly repeated: readonly Repeated[],
    private readonly around: Surroundings,
  ) {}

  /** Fetches at once, and then repeatedly. The returned function ends that. */
  start(): () => void {
    const releases = this.repeated.map(({ query }) => query.hold());
    const timer = setInterval(() => this.#tick(), TICK);
    const look = () => this.#tick();
    document.addEventListener('visibilitychange', look);
    this.#tick();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      releases.forEach((release) => release());
    };
  }

  /** Fetches everything at once. */
  async refresh(): Promise<void> {
    await Promise.all(this.repeated.map((one) => this.#fetch(one)));
  }

  #tick(): void {
    if (!this.around.visible()) return;
    this.now = Date.now();
    if (!this.around.reachable()) return;
    for (const one of this.repeated) {
      const last = this.#starts.get(one) ?? Number.NEGATIVE_INFINITY;
      // A slow request is not repeated before its response.
      if (this.now - last >= one.every && !one.query.loading) void this.#fetch(one);
    }
  }

  async #fetch(one: Repeated): Promise<void> {
    this.#starts.set(one, Date.now());
    const before = one.query.data;
    await one.query.refetch();
    if (one === this.repeated[0] && one.query.data !== before) this.updatedAt = this.now = Date.now();
  }
}
