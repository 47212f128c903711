/** Playback errors of a file: detected, reported, and retried automatically if that can help. */
import type { ApiClient } from '../api/client';
import { Watchdog, type MediaLike, type Subject, type Trouble, type Verdict } from './watchdog';

/** Milliseconds until a retry after a missing response. */
const RETRY_AFTER = 5000;
/** Milliseconds until the first retry after the decoder did not load. The delay doubles up to the longest. */
const RELOAD_AFTER = 2000;
const LONGEST = 60_000;
/** Milliseconds until interrupted playback resumes. That happens once per position. */
const RESUME = 800;

const FORMAT: ReadonlySet<Trouble> = new Set(['refused', 'no-picture', 'unsupported', 'damaged', 'crashed']);

const NOTHING: Verdict = { trouble: null, mute: false };

interface Playing {
  /** The position as a key. */
  place: () => string;
  /** True if the file should play. */
  isWanted: () => boolean;
  /** Playback was interrupted and resumes at once. */
  onbroke: () => void;
  /** The file does not play. */
  onstop: () => void;
  retry: () => void;
  /** Plays the file in another way. Returns true if there is one: the error is not reported then. */
  fallBack?: (verdict: Verdict) => boolean;
}

export class PlaybackError {
  verdict = $state.raw(NOTHING);
  #watchdog: Watchdog | null = null;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** Position of the latest interruption. */
  #brokeAt: string | null = null;
  #url = '';
  #element: MediaLike | null = null;
  /** Milliseconds until the next retry, if the decoder does not load. */
  #reloadAfter = RELOAD_AFTER;
  readonly #played = () => (this.#reloadAfter = RELOAD_AFTER);

  constructor(
    private readonly api: Pick<ApiClient, 'probe'>,
    private readonly playing: Playing,
  ) {}

  get trouble(): Trouble | null {
    return this.verdict.trouble;
  }

  /** Clears the error and stops the checks. */
  clear(): void {
    this.#watchdog?.stop();
    this.#watchdog = null;
    this.#element?.removeEventListener('playing', this.#played);
    clearTimeout(this.#retryTimer);
    this.verdict = NOTHING;
  }

  /** Monitors a file in an element; `ready` if its length is already known. */
  watch(element: MediaLike, subject: Subject, url: string, ready: boolean): void {
    if (url !== this.#url) this.#reloadAfter = RELOAD_AFTER;
    this.#url = url;
    this.#element = element;
    element.addEventListener('playing', this.#played);
    this.#watchdog = new Watchdog(
      element,
      subject,
      () => this.api.probe(url),
      (verdict) => this.#judged(verdict),
    );
    this.#watchdog.start(ready);
  }

  /** Reports an error that the element does not know of. */
  report(change: Partial<Verdict>): void {
    if (change.trouble === 'session') void this.#checkSession();
    else this.#judged(change);
  }

  /** Continues if the session was renewed since the refusal, for example in another tab. Otherwise, the probe ends it. */
  async #checkSession(): Promise<void> {
    const watchdog = this.#watchdog;
    const status = await this.api.probe(this.#url);
    if (watchdog !== this.#watchdog) return;
    if (status >= 200 && status < 300 && this.#restarts()) return;
    this.#judged({ trouble: isUnanswered(status) ? 'unreachable' : 'session' });
  }

  #judged(change: Partial<Verdict>): void {
    const verdict = { ...this.verdict, ...change };
    const { trouble } = verdict;
    if (isOfFormat(verdict) && this.playing.fallBack?.(verdict)) return;
    if (trouble === 'interrupted' && this.playing.isWanted() && this.#restarts()) return;
    this.verdict = verdict;
    if (trouble === null || trouble === 'silence') return;
    this.playing.onstop();
    clearTimeout(this.#retryTimer);
    if (isOutage(trouble)) this.#askLater(trouble);
  }

  #askLater(trouble: Trouble): void {
    const delay = trouble === 'unloaded' ? this.#reloadAfter : RETRY_AFTER;
    this.#retryTimer = setTimeout(() => void this.#ask(trouble), delay);
  }

  /** Loads the file again, unless it is the second time at this position. */
  #restarts(): boolean {
    const place = this.playing.place();
    if (this.#brokeAt === place) return false;
    this.#brokeAt = place;
    this.playing.onbroke();
    this.#retryTimer = setTimeout(() => this.playing.retry(), RESUME);
    return true;
  }

  /** Checks if the server is reachable again. */
  async #ask(trouble: Trouble): Promise<void> {
    const url = this.#url;
    const isOver = () => this.#url !== url || this.trouble !== trouble;
    if (isOver()) return;
    const status = await this.api.probe(url);
    if (isOver()) return;
    if (isUnanswered(status)) return this.#askLater(trouble);
    // The server can lack the decoder for good, if it was upgraded since the page was loaded.
    if (trouble === 'unloaded') this.#reloadAfter = Math.min(LONGEST, this.#reloadAfter * 2);
    this.playing.retry();
  }
}

/** Returns true if the network is the reason, so that its return helps. */
export function isOutage(trouble: Trouble | null): trouble is 'unreachable' | 'unloaded' {
  return trouble === 'unreachable' || trouble === 'unloaded';
}

/** Returns true if the server did not respond, or could not. Without a response, the status is 0. */
function isUnanswered(status: number): boolean {
  return !status || status >= 500;
}

/** Returns true if the same file can play in another way. */
function isOfFormat({ trouble, mute }: Verdict): boolean {
  return trouble === null ? mute : FORMAT.has(trouble);
}
