/** What keeps a file from being heard: found out, told, and tried again by itself where that may help. */
import type { ApiClient } from '../api/client';
import { Watchdog, type Trouble } from './watchdog';

/** Milliseconds until a server that did not answer is asked again. */
const AGAIN = 5000;
/** Milliseconds until what broke off is taken up, which happens once at a place. */
const RESUME = 800;

interface Playing {
  /** Where it plays, as a name of the place. */
  place: () => string;
  /** Whether it is to sound. */
  isWanted: () => boolean;
  /** It broke off, and is taken up at once. */
  onbroke: () => void;
  /** It does not sound. */
  onstop: () => void;
  retry: () => void;
}

export class Hindrance {
  trouble = $state<Trouble | null>(null);
  #watchdog: Watchdog | null = null;
  #again: ReturnType<typeof setTimeout> | undefined;
  /** Where it broke off last. */
  #brokeAt: string | null = null;
  #url = '';

  constructor(
    private readonly api: Pick<ApiClient, 'probe'>,
    private readonly playing: Playing,
  ) {}

  /** Nothing is in the way, and nothing is looked after any more. */
  clear(): void {
    this.#watchdog?.stop();
    clearTimeout(this.#again);
    this.trouble = null;
  }

  /** Looks after a file in an element; `ready` where its length is known already. */
  watch(element: HTMLAudioElement, url: string, ready: boolean): void {
    this.#url = url;
    this.#watchdog = new Watchdog(
      element,
      // A cover inside a music file is a video stream to some probes; sound is all that is asked here.
      { vcodec: null, acodec: null },
      () => this.api.probe(url),
      ({ trouble }) => this.#troubled(trouble),
    );
    this.#watchdog.start(ready);
  }

  #troubled(trouble: Trouble | null): void {
    if (trouble === 'interrupted' && this.#takesUp()) return;
    this.trouble = trouble;
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
