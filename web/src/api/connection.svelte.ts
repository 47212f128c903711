/**
 * Reachability of the server. A suspicion is checked with a probe; while the server is away, probes follow with a
 * growing, bounded pause, and none from a hidden tab.
 */

/** Seconds between two probes: the last one repeats. */
const PAUSES = [1, 2, 4, 8, 15, 30] as const;
/** Milliseconds until a probe without an answer counts as failed. */
const TIMEOUT = 4000;

export interface Surroundings {
  probe: () => Promise<boolean>;
  visible: () => boolean;
}

export class Connection {
  /** Whether the server does not answer. */
  lost = $state(false);
  /** Seconds until the next probe; 0 while one is under way. */
  seconds = $state(0);
  /** Counts how often the server came back. */
  returns = $state(0);

  /** Called when the server stops answering. */
  onlost: () => void = () => {};
  /** Called when the server answers again. */
  onback: () => void = () => {};

  #probing: Promise<boolean> | null = null;
  #attempts = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly around: Surroundings = browser) {}

  /** Resolves to whether the server answers. */
  check(): Promise<boolean> {
    this.#probing ??= this.#probe().finally(() => (this.#probing = null));
    return this.#probing;
  }

  /** The same for a request that failed or is slow: while the server is away, the pauses stay as they are. */
  suspect(): Promise<boolean> {
    return this.lost ? Promise.resolve(false) : this.check();
  }

  /** The server answered some request. */
  confirm(): void {
    if (!this.lost) return;
    clearTimeout(this.#timer);
    this.lost = false;
    this.seconds = 0;
    this.#attempts = 0;
    this.returns += 1;
    this.onback();
  }

  /** The tab was shown: the pause is over for a user who looks. */
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
