/** What keeps a file from being seen and heard: found out, told, and tried again by itself where that may help. */
import type { ApiClient } from '../api/client';
import { Watchdog, type MediaLike, type Subject, type Trouble, type Verdict } from './watchdog';

/** Milliseconds until a server that did not answer is asked again. */
const AGAIN = 5000;
/** Milliseconds until what broke off is taken up, which happens once at a place. */
const RESUME = 800;

const NOTHING: Verdict = { trouble: null, mute: false };

interface Playing {
  /** Where it plays, as a name of the place. */
  place: () => string;
  /** Whether it is to play. */
  isWanted: () => boolean;
  /** It broke off, and is taken up at once. */
  onbroke: () => void;
  /** It does not play. */
  onstop: () => void;
  retry: () => void;
}

export class Hindrance {
  verdict = $state.raw(NOTHING);
  #watchdog: Watchdog | null = null;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Where it broke off last. */
  #brokeAt: string | null = null;
  #url = '';

  constructor(
    private readonly api: Pick<ApiClient, 'probe'>,
    private readonly playing: Playing,
  ) {}

  get trouble(): Trouble | null {
    return this.verdict.trouble;
  }

  /** Nothing is in the way, and nothing is looked after any more. */
  clear(): void {
    this.#watchdog?.stop();
    clearTimeout(this.#again);
    this.verdict = NOTHING;
  }

  /** Looks after a file in an element; `ready` where its length is known already. */
  watch(element: MediaLike, subject: Subject, url: string, ready: boolean): void {
    this.#url = url;
    this.#watchdog = new Watchdog(
      element,
      subject,
      () => this.api.probe(url),
      (verdict) => this.#judged(verdict),
    );
    this.#watchdog.start(ready);
  }

  #judged(verdict: Verdict): void {
    const { trouble } = verdict;
    if (trouble === 'interrupted' && this.#takesUp()) return;
    this.verdict = verdict;
    if (trouble === null || trouble === 'silence') return;
    this.playing.onstop();
    if (trouble === 'unreachable') this.#again = setTimeout(() => void this.#ask(), AGAIN);
  }

  /** Takes up what broke off, unless that is the second time at this place. */
  #takesUp(): boolean {
    const place = this.playing.place();
    if (!this.playing.isWanted() || this.#brokeAt === place) return false;
    this.#brokeAt = place;
    this.playing.onbroke();
    this.#again = setTimeout(() => this.playing.retry(), RESUME);
    return true;
  }

  /** Whether the server is back by now. */
  async #ask(): Promise<void> {
    const url = this.#url;
    const isOver = () => this.#url !== url || this.trouble !== 'unreachable';
    if (isOver()) return;
    const status = await this.api.probe(url);
    if (isOver()) return;
    if (status > 0 && status < 500) this.playing.retry();
    else this.#again = setTimeout(() => void this.#ask(), AGAIN);
  }
}
