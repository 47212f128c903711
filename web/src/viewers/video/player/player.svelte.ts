/** The state of the video player and its commands. Keys, gestures, buttons and the media session call them. */
import type { Item, MediaFile } from '../../../api/models';
import { t } from '../../../i18n';
import '../../../i18n/player';
import { clock } from '../../../i18n/format';
import type { PlaybackSettings } from '../../../playback/settings.svelte';
import { SleepTimer } from '../../../playback/sleep-timer.svelte';
import { markAt, nameOf, timelineOf, type Timeline } from '../../../playback/timeline';
import { SPEEDS, type FilmSettings } from '../saved/settings';
import type { SubtitleTracks } from '../subtitles/subtitle-tracks.svelte';
import { AudioSelection } from './audio-selection.svelte';
import type { Segment } from './segments';

export type Panel = 'options' | 'tracks' | 'chapters' | 'search' | 'help';

/** The connections of the player to its page. */
interface Page {
  item: Pick<Item, 'id'>;
  file: MediaFile;
  settings: PlaybackSettings;
  saved: FilmSettings;
  tracks: SubtitleTracks;
  /** Starts playback of a film that is loaded, or loads it again after a temporary error. */
  play: (element: HTMLVideoElement) => void;
  /** Records the film as finished, because its user skipped the rest. */
  finish: () => void;
  /** True while a canvas shows the picture instead of the element. */
  isDrawn: () => boolean;
  /** Opens the next episode; null after the last one. */
  next: () => (() => void) | null;
  leave: () => void;
}

/** Seconds after the start of a chapter in which *previous* leads to the chapter before. */
const AT_START = 3;
/** Milliseconds for which a message is shown. */
const MESSAGE = 1200;

export class VideoPlayer {
  element: HTMLVideoElement | undefined = $state();
  paused = $state(true);
  time = $state(0);
  duration = $state(0);
  buffered = $state<{ start: number; end: number }[]>([]);
  volume = $state(1);
  muted = $state(false);
  speed = $state(1);
  ended = $state(false);
  full = $state(false);
  panel = $state<Panel | null>(null);
  /** Repeats the whole film. */
  loop = $state(false);
  /** The section that is repeated: its start, then its end. */
  from = $state<number | null>(null);
  to = $state<number | null>(null);
  /** A short confirmation of the latest command. */
  message = $state('');
  readonly sleep = new SleepTimer();
  readonly audio: AudioSelection;
  readonly tracks: SubtitleTracks;
  readonly #timeline: Timeline;
  /** The length of a frame in seconds: the usual one until it is measured. */
  frame = 1 / 25;
  /** Loaded for a film with chapters. */
  #segmentOf = $state.raw<((title: string) => Segment | null) | null>(null);
  #message: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly page: Page) {
    const { volume, muted } = page.settings.value;
    this.volume = volume;
    this.muted = muted;
    this.speed = page.saved.speed;
    this.tracks = page.tracks;
    this.audio = new AudioSelection(page.saved);
    this.#timeline = timelineOf([page.file], false);
  }

  /** The length in seconds: the measured one, or the one of the server until then. */
  get length(): number {
    const { duration } = this;
    return Number.isFinite(duration) && duration > 0 ? duration : (this.page.file.duration ?? 0);
  }

  /** True if the picture can leave the page. The element of a decoded film has none. */
  get hasPip(): boolean {
    return 'pictureInPictureEnabled' in document && document.pictureInPictureEnabled && !this.page.isDrawn();
  }

  get loadedTo(): number {
    return this.buffered.find(({ start, end }) => start <= this.time && this.time <= end)?.end ?? 0;
  }

  get chapters(): Timeline['marks'] {
    return this.#timeline.marks;
  }

  /** Index of the current chapter; -1 before the first. */
  get chapter(): number {
    return markAt(this.#timeline, 0, this.time);
  }

  /** The time of the element, which `time` follows a little later. */
  get #now(): number {
    return this.element?.currentTime ?? this.time;
  }

  get #chapterNow(): number {
    return markAt(this.#timeline, 0, this.#now);
  }

  get chapterName(): string {
    const mark = this.chapters[this.chapter];
    return mark ? nameOf(mark, this.chapter) : '';
  }

  /** The current chapter, if users skip chapters of its name. */
  get segment(): Segment | null {
    return this.#segmentAt(this.chapter);
  }

  #segmentAt(index: number): Segment | null {
    const mark = this.chapters[index];
    return mark ? (this.#segmentOf?.(mark.title) ?? null) : null;
  }

  get hasNext(): boolean {
    return this.page.next() !== null;
  }

  play(): void {
    if (this.element) this.page.play(this.element);
  }

  pause(): void {
    this.element?.pause();
  }

  toggle(): void {
    if (this.element?.paused) this.play();
    else this.pause();
  }

  seek(to: number): void {
    if (this.element) this.element.currentTime = Math.min(Math.max(0, to), this.length || to);
  }

  skip(by: number): void {
    this.seek(this.#now + by);
    this.say(by < 0 ? t('player.said.back', { count: -by }) : t('player.said.forward', { count: by }));
  }

  /** Moves a paused film by one frame. */
  step(frames: number): void {
    if (this.element?.paused) this.seek(this.element.currentTime + frames * this.frame);
  }

  chapterStep(by: 1 | -1): void {
    if (this.chapters.length === 0) return;
    const chapter = this.#chapterNow;
    const isInside = this.#now - (this.chapters[chapter]?.start ?? 0) > AT_START;
    this.toChapter(by > 0 ? chapter + 1 : isInside ? chapter : chapter - 1);
  }

  toChapter(index: number): void {
    const at = Math.max(0, index);
    const mark = this.chapters[at];
    if (!mark) return;
    this.seek(mark.start);
    this.say(nameOf(mark, at));
  }

  /** Skips the intro, the recap or the credits. The credits at the end lead to the next episode. */
  skipSegment(): void {
    const chapter = this.#chapterNow;
    const mark = this.chapters[chapter];
    if (!mark || this.#segmentAt(chapter) === null) return;
    const isLast = chapter === this.chapters.length - 1;
    if (isLast && this.hasNext) {
      this.page.finish();
      this.next();
    } else this.seek(isLast ? this.length : mark.start + mark.length);
  }

  next(): void {
    this.page.next()?.();
  }

  mute(): void {
    this.muted = !this.muted;
    this.say(t(this.muted ? 'player.said.muted' : 'player.said.unmuted'));
  }

  setVolume(value: number): void {
    this.volume = Math.min(1, Math.max(0, value));
    this.muted = false;
  }

  louder(by: number): void {
    this.setVolume(this.volume + by);
    this.say(t('player.said.volume', { n: Math.round(this.volume * 100) }));
  }

  /** Saves the volume after a change, also by the system. */
  keepVolume({ volume, muted }: Pick<HTMLVideoElement, 'volume' | 'muted'>): void {
    this.page.settings.change({ volume, muted });
  }

  setSpeed(value: number): void {
    this.speed = value;
    this.page.saved.speed = value;
  }

  faster(steps: number): void {
    const at = SPEEDS.findIndex((value) => value === this.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + steps))] ?? 1);
    this.say(`${this.speed}×`);
  }

  toggleLoop(): void {
    this.loop = !this.loop;
    this.say(t(this.loop ? 'player.said.loop' : 'player.said.noLoop'));
  }

  /** Sets the start of the repeated section, then its end, then removes both. */
  mark(): void {
    const now = this.#now;
    if (this.from === null) {
      this.from = now;
      this.say(t('player.said.from', { at: clock(this.from) }));
    } else if (this.to === null && now > this.from) {
      this.to = now;
      this.say(t('player.said.section', { from: clock(this.from), to: clock(this.to) }));
    } else {
      this.from = this.to = null;
      this.say(t('player.said.noSection'));
    }
  }

  /** Shifts the subtitles by seconds. */
  shiftSubtitles(by: number): void {
    this.tracks.shift(by);
    this.say(t('player.said.delay', { n: this.tracks.delayText }));
  }

  toggleSubtitles(): void {
    this.tracks.toggle();
    const { shown } = this.tracks;
    this.say(shown ? t('player.said.subtitles', { name: shown.label }) : t('player.said.noSubtitles'));
  }

  fullscreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    // The page fills the screen, not the film: the next episode has another element.
    else void document.documentElement.requestFullscreen?.().catch(() => {});
  }

  pip(): void {
    if (document.pictureInPictureElement) void document.exitPictureInPicture();
    else void this.element?.requestPictureInPicture?.().catch(() => {});
  }

  /** Id of the item of the film. */
  get itemId(): number {
    return this.page.item.id;
  }

  leave(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    this.page.leave();
  }

  /** Shows a short confirmation. */
  say(message: string): void {
    this.message = message;
    clearTimeout(this.#message);
    this.#message = setTimeout(() => (this.message = ''), MESSAGE);
  }

  /** Repeats the section, and pauses when the sleep timer ends. Called while the film plays. */
  tick(): void {
    if (this.from !== null && this.to !== null && this.#now >= this.to) this.seek(this.from);
    const { sleep } = this;
    const isOver = sleep.tick() || (sleep.mark !== null && this.#chapterNow > sleep.mark);
    if (!isOver) return;
    sleep.off();
    this.pause();
  }

  /** Follows the page and the element. The returned function stops that. */
  follow(element: HTMLVideoElement): () => void {
    const listening = new AbortController();
    const { signal } = listening;
    const update = () => (this.full = document.fullscreenElement !== null);
    update();
    document.addEventListener('fullscreenchange', update, { signal });
    element.addEventListener('play', () => this.sleep.run(true), { signal });
    element.addEventListener('pause', () => this.sleep.run(false), { signal });
    element.addEventListener('seeked', () => this.sleep.follow(this.#chapterNow), { signal });
    if (this.chapters.length > 0)
      import('./segments').then(
        ({ segmentOf }) => (this.#segmentOf = segmentOf),
        () => {}, // chapters remain without buttons that skip them
      );
    return () => {
      listening.abort();
      clearTimeout(this.#message);
    };
  }
}
