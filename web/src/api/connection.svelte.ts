/**
 * Reachability of the server. A failed or slow request starts a probe. While the server is unreachable, probes repeat
 * with a growing, bounded delay; a hidden tab sends none.
 */

/** Seconds between two probes; the last value repeats. */
const PAUSES = [1, 2, 4, 8, 15, 30] as const;
/** Timeout of a probe in milliseconds. */
const TIMEOUT = 4000;

export interface Surroundings {
  probe: () => Promise<boolean>;
  visible: () => boolean;
}

export class Connection {
  /** True while the server is unreachable. */
  lost = $state(false);
  /** Seconds until the next probe; 0 during a probe. */
  seconds = $state(0);
  /** Number of times that the server became reachable again. */
  returns = $state(0);

  /** Called when the server becomes unreachable. */
  onlost: () => void = () => {};
  /** Called when the server becomes reachable again. */
  onback: () => void = () => {};

  #probing: Promise<boolean> | null = null;
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly around: Surroundings = browser) {}

  /** Probes the server. Resolves to true if it answers. */
  check(): Promise<boolean> {
    this.#probing ??= this.#probe().finally(() => (this.#probing = null));
    return this.#probing;
  }

  /** Probes after a failed or slow request. While the server is unreachable, the delays do not change. */
  suspect(): Promise<boolean> {
    return this.lost ? Promise.resolve(false) : this.check();
  }

  /** Records that the server answered a request. */
  confirm(): void {
    if (!this.lost) return;
    clearTimeout(this.#timer);
    this.lost = false;
    this.seconds = 0;
    this.#attempts = 0;
    this.returns += 1;
    this.onback();
  }

  /** Probes at once when the tab becomes visible. */
  wake(): void {
    if (this.lost && this.around.visible()) void this.check();
  }

  async #probe(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.seconds = 0;
    const reachable = await this.around.probe();
    if (reachable) {
      this.confirm();
      return true;
    }
    if (!this.lost) {
      this.lost = true;
      this.onlost();
    }
    this.#wait(PAUSES[Math.min(this.#attempts, PAUSES.length - 1)] ?? 30);
    this.#attempts += 1;
    return false;
  }

  #wait(seconds: number): void {
    this.seconds = seconds;
    this.#timer = setTimeout(() => {
      if (!this.around.visible()) this.#wait(1);
      else if (seconds > 1) this.#wait(seconds - 1);
      else void this.check();
    }, 1000);
  }
}

const browser: Surroundings = {
  visible: () => document.visibilityState === 'visible',
  probe: async () => {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), TIMEOUT);
    try {
      const response = await fetch('/healthz', { cache: 'no-store', signal: limit.signal });
      return response.ok;
    } catch {
      return false;
    } finally {
      clearTimeout(timer);
    }
  },
};
