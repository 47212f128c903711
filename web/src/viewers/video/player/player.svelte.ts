/** The state of the video player and its commands. Keys, gestures, buttons and the media session call them. */
import type { MediaFile } from '../../../api/models';
import { PlaybackSettings, SPEEDS } from '../../../playback/settings.svelte';
import { saveSpeed, savedSpeed } from '../saved/settings';

/** The connections of the player to its page. */
interface Page {
  item: { id: number };
  file: Pick<MediaFile, 'duration'>;
  settings: PlaybackSettings;
  /** Starts playback of a film that is loaded, or loads it again after a temporary error. */
  play: (element: HTMLVideoElement) => void;
  leave: () => void;
}

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
  readonly hasPip = 'pictureInPictureEnabled' in document && document.pictureInPictureEnabled;

  constructor(private readonly page: Page) {
    const { volume, muted } = page.settings.value;
    this.volume = volume;
    this.muted = muted;
    this.speed = savedSpeed(page.item.id);
  }

  /** The length in seconds: the measured one, or the one of the server until then. */
  get length(): number {
    const { duration } = this;
    return Number.isFinite(duration) && duration > 0 ? duration : (this.page.file.duration ?? 0);
  }

  get loadedTo(): number {
    return this.buffered.find(({ start, end }) => start <= this.time && this.time <= end)?.end ?? 0;
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
    this.seek(this.time + by);
  }

  mute(): void {
    this.muted = !this.muted;
  }

  setVolume(value: number): void {
    this.volume = Math.min(1, Math.max(0, value));
    this.muted = false;
  }

  /** Saves the volume after a change, also by the system. */
  keepVolume({ volume, muted }: Pick<HTMLVideoElement, 'volume' | 'muted'>): void {
    this.page.settings.change({ volume, muted });
  }

  setSpeed(value: number): void {
    this.speed = value;
    saveSpeed(this.page.item.id, value);
  }

  faster(steps: number): void {
    const at = SPEEDS.findIndex((value) => value === this.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + steps))] ?? 1);
  }

  fullscreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    // The page fills the screen, not the film: the next episode has another element.
    else void document.documentElement.requestFullscreen?.().catch(() => {});
  }

  /** Follows the full screen of the page. The returned function stops that. */
  followFullscreen(): () => void {
    const update = () => (this.full = document.fullscreenElement !== null);
    update();
    document.addEventListener('fullscreenchange', update);
    return () => document.removeEventListener('fullscreenchange', update);
  }

  pip(): void {
    if (document.pictureInPictureElement) void document.exitPictureInPicture();
    else void this.element?.requestPictureInPicture?.().catch(() => {});
  }

  leave(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    this.page.leave();
  }
}
