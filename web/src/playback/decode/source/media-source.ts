/** The media source of an element: its lanes, its length and its end. */
import { mediaSourceClass } from '../../../lib/engines';
import { Lane } from './lane';

export type LaneName = 'video' | 'audio';

export class Source {
  readonly #lanes = new Map<LaneName, Lane>();
  readonly #url: string;
  /** The element could be played on another device before. */
  readonly #wasRemote: boolean;
  #hasEnded = false;
  /** Resolves when lanes can be opened. It stays pending if the source is closed before. */
  readonly opened: Promise<void>;

  private constructor(
    private readonly source: MediaSource,
    private readonly element: HTMLMediaElement,
    private readonly onfailed: (error: unknown) => void,
    at: number | null,
  ) {
    // Safari on iPhones opens a managed source only on an element without AirPlay.
    this.#wasRemote = 'disableRemotePlayback' in element && !element.disableRemotePlayback;
    if (this.#wasRemote) element.disableRemotePlayback = true;
    this.#url = URL.createObjectURL(source);
    this.opened = new Promise((resolve) => {
      const open = () => {
        URL.revokeObjectURL(this.#url);
        resolve();
      };
      source.addEventListener('sourceopen', open, { once: true });
    });
    replaceSource(element, this.#url, at);
  }

  /** Attaches a media source to an element. `at` is explained at `replaceSource`. */
  static attach(
    element: HTMLMediaElement,
    onfailed: (error: unknown) => void,
    at: number | null = null,
  ): Source {
    const Class = mediaSourceClass();
    if (!Class) throw new Error('this browser has no media source extensions');
    return new Source(new Class(), element, onfailed, at);
  }

  /** True while lanes can be opened, and bytes appended. */
  get isOpen(): boolean {
    return this.source.readyState === 'open';
  }

  /** Opens all lanes. It must happen before the first bytes of any of them. */
  open(mimes: ReadonlyMap<LaneName, string>, duration: number | null): void {
    for (const [name, mime] of mimes) {
      const position = () => this.element.currentTime;
      this.#lanes.set(name, new Lane(this.source.addSourceBuffer(mime), mime, position, this.onfailed));
    }
    if (duration !== null) this.source.duration = duration;
  }

  /** Returns a lane; null if there is none, or if the element has given the source up after an error. */
  lane(name: LaneName): Lane | null {
    return this.source.readyState === 'closed' ? null : (this.#lanes.get(name) ?? null);
  }

  /** Drops everything that is buffered, for a run from another position. */
  clear(): void {
    this.#hasEnded = false;
    if (this.source.readyState === 'closed') return;
    const isOpen = this.source.readyState === 'open';
    for (const lane of this.#lanes.values()) lane.clear(isOpen);
  }

  /** Continues the lanes; ends the source if `isComplete` and all bytes are appended. */
  tick(isComplete: boolean): void {
    if (this.source.readyState === 'closed') return;
    const lanes = [...this.#lanes.values()];
    for (const lane of lanes) lane.pump();
    if (!isComplete || this.#hasEnded || this.source.readyState !== 'open') return;
    if (!lanes.every((lane) => lane.isIdle)) return;
    this.#hasEnded = true;
    this.source.endOfStream();
  }

  /** Returns true if playback can continue at a position without new data. */
  has(time: number): boolean {
    return contains(this.element.buffered, time);
  }

  /** Gives the element up: it can be played on other devices again. */
  close(): void {
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
    URL.revokeObjectURL(this.#url);
    if (this.#wasRemote) this.element.disableRemotePlayback = false;
  }
}

/**
 * Changes the address of an element. Browsers pause it then, although playback was requested. They also reset position
 * and speed: with `at`, the element returns to that position at its present speed. Otherwise its owner sets both.
 */
export function replaceSource(element: HTMLMediaElement, url: string, at: number | null = null): void {
  const isPlaying = !element.paused;
  if (at !== null) element.defaultPlaybackRate = element.playbackRate;
  element.src = url;
  const goBack = () => {
    if (element.src === url && at !== null) element.currentTime = at;
  };
  if (at !== null) element.addEventListener('loadedmetadata', goBack, { once: true });
  if (isPlaying) void element.play().catch(() => {});
}

/** Seconds of data after a position without which it is not playable. */
const LEAST = 0.1;

export function contains(ranges: TimeRanges, time: number): boolean {
  for (let index = 0; index < ranges.length; index += 1)
    if (ranges.start(index) <= time && time < ranges.end(index) - LEAST) return true;
  return false;
}

/** Returns the start of the next range after a position outside of all ranges; null if none is near. */
export function nextStart(ranges: TimeRanges, time: number, reach: number): number | null {
  for (let index = 0; index < ranges.length; index += 1) {
    if (time < ranges.start(index)) return ranges.start(index) - time <= reach ? ranges.start(index) : null;
    if (time < ranges.end(index)) return null;
  }
  return null;
}
