/** A film in its element: loaded, taken up where it broke off, and left. */
import type { ApiClient } from '../../api/client';
import type { MediaFile } from '../../api/types';
import { Hindrance } from '../../media/hindrance.svelte';
import type { Verdict } from '../../media/watchdog';

type Reel = Pick<MediaFile, 'id' | 'content_url' | 'vcodec' | 'acodec'>;

/** What the page knows of the element: while that loads anew, it has forgotten. */
interface Now {
  time: number;
  paused: boolean;
  speed: number;
}

export class Film {
  waiting = $state(false);
  /** Its length is known, and it stands where it is to begin. */
  begun = $state(false);
  readonly #hindrance: Hindrance;
  #there: { element: HTMLVideoElement; reel: Reel } | null = null;
  /** Whether it is to play once it has begun. */
  #plays = true;

  /** `from` is where it begins. */
  constructor(
    api: Pick<ApiClient, 'probe'>,
    private from: number,
    private readonly now: () => Now,
  ) {
    this.#hindrance = new Hindrance(api, {
      place: () => `${this.#there?.reel.id} ${Math.round(now().time)}`,
      isWanted: () => this.#isWanted,
      onbroke: () => (this.waiting = true),
      onstop: () => (this.waiting = false),
      retry: () => this.takeUp(),
    });
  }

  get verdict(): Verdict {
    return this.#hindrance.verdict;
  }

  /** Plays a film in an element; the function returned takes it out again. */
  play(element: HTMLVideoElement, reel: Reel): () => void {
    this.#there = { element, reel };
    this.#load(true);
    return () => {
      this.#unload();
      this.#there = null;
    };
  }

  /** The element has read how long the film is. */
  begin(): void {
    const element = this.#there?.element;
    if (!element) return;
    if (this.from > 0) element.currentTime = this.from;
    element.playbackRate = this.now().speed;
    this.begun = true;
  }

  /** Tries again what went wrong, at the same place. */
  retry(): void {
    this.#reload(true);
  }

  /** The same without being asked: what stood still stands still again. */
  takeUp(): void {
    this.#reload(this.#isWanted);
  }

  /** An element whose file never came may stand still of itself. */
  get #isWanted(): boolean {
    return this.begun ? !this.now().paused : this.#plays;
  }

  #reload(plays: boolean): void {
    const { time } = this.now();
    if (this.begun && time > 0) this.from = time;
    this.#unload();
    this.#load(plays);
  }

  #load(plays: boolean): void {
    if (!this.#there) return;
    const { element, reel } = this.#there;
    this.begun = false;
    this.#plays = plays;
    element.defaultPlaybackRate = this.now().speed; // loading falls back to it
    element.src = reel.content_url;
    this.#hindrance.watch(element, reel, reel.content_url, false);
    if (plays) void element.play().catch(() => {});
    else this.waiting = false;
  }

  #unload(): void {
    this.#hindrance.clear();
    this.#there?.element.removeAttribute('src');
    this.#there?.element.load();
  }
}
