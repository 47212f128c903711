/** Sound that plays on while one looks around: one element outside the router, a queue, and the system's media keys. */
import type { ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/types';
import type { Places } from '../progress/places.svelte';
import { fileTitle, queueFor } from './queue';
import { Watchdog, type Trouble } from './watchdog';

export const SPEEDS = [0.75, 1, 1.25, 1.5, 1.75, 2] as const;
const SKIP = 15;

export class Player {
  item = $state.raw<Item | null>(null);
  queue = $state.raw<MediaFile[]>([]);
  index = $state(0);
  playing = $state(false);
  waiting = $state(false);
  time = $state(0);
  duration = $state(0);
  speed = $state(1);
  trouble = $state<Trouble | null>(null);

  #element: HTMLAudioElement | null = null;
  #watchdog: Watchdog | null = null;
  /** Where to begin once the element knows its length; until then it tells nothing of a place. */
  #start: number | null = null;

  constructor(
    private readonly api: Pick<ApiClient, 'probe' | 'countView'>,
    private readonly places: Pick<Places, 'note' | 'settle' | 'resume'>,
  ) {}

  get file(): MediaFile | null {
    return this.queue[this.index] ?? null;
  }

  /** Takes the page's one audio element; the function returned gives it back. */
  attach(element: HTMLAudioElement): () => void {
    this.#element = element;
    if (this.file) this.#load(this.places.resume(this.file));
    const given = new AbortController();
    const on = (type: string, listener: () => void) =>
      element.addEventListener(type, listener, { signal: given.signal });
    on('timeupdate', () => this.#tick());
    on('durationchange', () => this.#tick());
    on('play', () => (this.playing = true));
    on('pause', () => this.#paused());
    on('loadedmetadata', () => this.#begin());
    on('waiting', () => (this.waiting = true));
    on('playing', () => (this.waiting = false));
    on('ended', () => this.#ended());
    this.#claimMediaKeys();
    return () => {
      given.abort();
      this.#watchdog?.stop();
      element.pause();
      this.#element = null;
    };
  }

  /** Plays a file from `from` seconds, or from where it was left. */
  play(item: Item, file: MediaFile, from?: number): void {
    if (this.item?.id === item.id && this.file?.id === file.id && this.trouble === null) {
      if (from !== undefined) this.seek(from);
      void this.#element?.play();
      return;
    }
    this.#leave();
    // A view counts nothing that the listener asked for: its failure is not theirs.
    if (this.item?.id !== item.id) void this.api.countView(item.id).catch(() => {});
    this.item = item;
    this.queue = queueFor(item, file);
    this.index = Math.max(0, this.queue.indexOf(file));
    this.#load(from ?? this.places.resume(file));
  }

  close(): void {
    this.#leave();
    this.#watchdog?.stop();
    this.#element?.pause();
    this.#element?.removeAttribute('src');
    this.item = null;
    this.queue = [];
    this.trouble = null;
    if ('mediaSession' in navigator) navigator.mediaSession.metadata = null;
  }

  toggle(): void {
    if (this.playing) this.#element?.pause();
    else void this.#element?.play().catch(() => {});
  }

  pause(): void {
    this.#element?.pause();
  }

  seek(seconds: number): void {
    if (!this.#element) return;
    this.#element.currentTime = Math.min(Math.max(0, seconds), this.duration || seconds);
    this.#tick();
  }

  get hasNext(): boolean {
    return this.index < this.queue.length - 1;
  }

  next(): void {
    if (this.hasNext) this.jump(this.index + 1);
  }

  /** The part before, or the start of this one when it has been running for a while. */
  previous(): void {
    if (this.time > 4 || this.index === 0) this.seek(0);
    else this.jump(this.index - 1);
  }

  jump(index: number): void {
    this.#leave();
    this.index = index;
    this.#load(0);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.#element) this.#element.playbackRate = speed;
  }

  #load(start: number): void {
    const { file } = this;
    const element = this.#element;
    if (!file || !element) return;
    this.#watchdog?.stop();
    this.trouble = null;
    this.#start = start;
    this.time = start;
    this.duration = file.duration ?? 0;
    element.src = file.content_url;
    element.playbackRate = this.speed;
    this.#watchdog = new Watchdog(
      element,
      // A cover inside a music file is a video stream to some probes; sound is all that is asked here.
      { vcodec: null, acodec: null },
      () => this.api.probe(file.content_url),
      (verdict) => (this.trouble = verdict.trouble),
    );
    this.#watchdog.start();
    void element.play().catch(() => {}); // refused codecs arrive as `error`, a blocked autoplay as `paused`
    this.#announce();
  }

  #tick(): void {
    const element = this.#element;
    if (!element || this.#start !== null) return;
    this.time = element.currentTime;
    if (Number.isFinite(element.duration)) this.duration = element.duration;
    this.#announcePosition();
    if (this.time >= 1 && !element.ended) this.#note({ position: this.time });
  }

  #begin(): void {
    const start = this.#start ?? 0;
    this.#start = null;
    if (this.#element && start > 0) this.#element.currentTime = start;
    this.#tick();
  }

  #paused(): void {
    this.playing = false;
    this.places.settle();
  }

  #note(reached: { position: number; finished?: boolean }): void {
    if (this.item && this.file) this.places.note(this.item, this.file, reached);
  }

  /** Another file comes, or none: the place in this one counts now. */
  #leave(): void {
    if (this.file) this.places.settle();
  }

  #ended(): void {
    this.#note({ position: this.file?.extent ?? this.duration, finished: true });
    this.places.settle();
    if (this.hasNext) this.next();
  }

  #announce(): void {
    if (!('mediaSession' in navigator) || !this.file || !this.item) return;
    const { cover } = this.item;
    navigator.mediaSession.metadata = new MediaMetadata({
      title: fileTitle(this.file),
      album: this.item.title,
      artist: this.item.authors,
      artwork: cover ? [{ src: cover.url }] : [],
    });
  }

  #announcePosition(): void {
    if (!('mediaSession' in navigator) || !(this.duration > 0)) return;
    navigator.mediaSession.setPositionState({
      duration: this.duration,
      playbackRate: this.speed,
      position: Math.min(this.time, this.duration),
    });
  }

  #claimMediaKeys(): void {
    if (!('mediaSession' in navigator)) return;
    const keys = navigator.mediaSession;
    keys.setActionHandler('play', () => this.toggle());
    keys.setActionHandler('pause', () => this.pause());
    keys.setActionHandler('previoustrack', () => this.previous());
    keys.setActionHandler('nexttrack', () => this.next());
    keys.setActionHandler('seekbackward', () => this.seek(this.time - SKIP));
    keys.setActionHandler('seekforward', () => this.seek(this.time + SKIP));
    keys.setActionHandler('seekto', (details) => this.seek(details.seekTime ?? this.time));
  }
}
