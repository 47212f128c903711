/** A film in its element: loading, playback, retries, and removal. */
import type { ApiClient } from '../../api/client';
import type { MediaFile } from '../../api/models';
import { PlaybackError } from '../../playback/playback-error.svelte';
import type { Verdict } from '../../playback/watchdog';

type FilmSource = Pick<MediaFile, 'id' | 'content_url' | 'vcodec' | 'acodec'>;

/** State of the element before a reload, which resets the element. */
interface Now {
  time: number;
  paused: boolean;
  speed: number;
}

export class Film {
  waiting = $state(false);
  /** True once the length is known and the start position is set. */
  begun = $state(false);
  readonly #playbackError: PlaybackError;
  #there: { element: HTMLVideoElement; reel: FilmSource } | null = null;
  /** True if playback should start after loading. */
  #plays = true;

  /** `from` is the start position in seconds. */
  constructor(
    api: Pick<ApiClient, 'probe'>,
    private from: number,
    private readonly now: () => Now,
  ) {
    this.#playbackError = new PlaybackError(api, {
      place: () => `${this.#there?.reel.id} ${Math.round(now().time)}`,
      isWanted: () => this.#isWanted,
      onbroke: () => (this.waiting = true),
      onstop: () => (this.waiting = false),
      retry: () => this.resumeAt(),
    });
  }

  get verdict(): Verdict {
    return this.#playbackError.verdict;
  }

  /** Plays a film in an element. The returned function unloads it. */
  play(element: HTMLVideoElement, reel: FilmSource): () => void {
    this.#there = { element, reel };
    this.#load(true);
    return () => {
      this.#unload();
      this.#there = null;
    };
  }

  /** The length of the film is known. */
  begin(): void {
    const element = this.#there?.element;
    if (!element) return;
    if (this.from > 0) element.currentTime = this.from;
    element.playbackRate = this.now().speed;
    this.begun = true;
  }

  /** Retries at the same position after an error. */
  retry(): void {
    this.#reload(true);
  }

  /** Reloads automatically. Paused playback stays paused. */
  resumeAt(): void {
    this.#reload(this.#isWanted);
  }

  /** An element whose file never arrived can pause by itself. */
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
    element.defaultPlaybackRate = this.now().speed; // `load` resets it to this value
    element.src = reel.content_url;
    this.#playbackError.watch(element, reel, reel.content_url, false);
    if (plays) void element.play().catch(() => {});
    else this.waiting = false;
  }

  #unload(): void {
    this.#playbackError.clear();
    this.#there?.element.removeAttribute('src');
    this.#there?.element.load();
  }
}
