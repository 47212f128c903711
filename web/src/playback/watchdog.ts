/**
 * Detects within seconds if a browser cannot play a file. Half of the unsupported files never raise an error: they play
 * without a picture, or without sound.
 */

export type Trouble =
  /** The browser rejects the file. */
  | 'refused'
  /** It plays without a picture. */
  | 'no-picture'
  /** Playback started and was interrupted: by the transfer, or by undecodable data. */
  | 'interrupted'
  /** No data for 2.5 seconds; revoked if data arrives later. */
  | 'silence'
  /** The server no longer has the file. */
  | 'missing'
  /** The session is over. */
  | 'session'
  /** The server does not answer. */
  | 'unreachable'
  /** The file was replaced during playback. */
  | 'changed'
  /** The decoder does not know the format. */
  | 'unsupported'
  /** The file contains neither sound nor pictures. */
  | 'empty'
  /** The data cannot be decoded. */
  | 'damaged'
  /** The code of the decoder did not load. */
  | 'unloaded'
  /** The decoded pictures cannot be drawn. */
  | 'graphics'
  /** The decoder crashed. */
  | 'crashed'
  /** The device decodes the film too slowly. */
  | 'slow';

export interface Verdict {
  trouble: Trouble | null;
  /** It plays, but the sound cannot be decoded. */
  mute: boolean;
  /** Decoding speed as a share of the speed that the film needs, for `slow`. */
  share?: number;
}

/** The properties of a media element in use; the last three exist in some browsers only. */
export interface MediaLike {
  readonly videoWidth?: number;
  getVideoPlaybackQuality?(): { readonly totalVideoFrames: number };
  readonly paused: boolean;
  pause(): void;
  readonly error?: { readonly code: number } | null;
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
  readonly webkitAudioDecodedByteCount?: number;
  readonly mozHasAudio?: boolean;
  readonly audioTracks?: { readonly length: number };
}

export interface Clock {
  set(callback: () => void, milliseconds: number): number;
  clear(timer: number): void;
}

export interface Subject {
  vcodec: string | null;
  acodec: string | null;
}

/** Codes of a `MediaError`. */
const NETWORK = 2;
const DECODE = 3;

const FIRST_SIGN = 2500;
const FIRST_OUTPUT = 1500;

export class Watchdog {
  #verdict: Verdict = { trouble: null, mute: false };
  #firstSign: number | null = null;
  #firstOutput: number | null = null;
  #stopped = false;
  /** Its start was decoded and played: this browser supports the format. */
  #isRead = false;
  #hasRun = false;
  readonly #listeners: [string, () => void][] = [];

  constructor(
    private readonly element: MediaLike,
    private readonly subject: Subject,
    private readonly probe: () => Promise<number>,
    private readonly onverdict: (verdict: Verdict) => void,
    private readonly clock: Clock = {
      set: (callback, milliseconds) => window.setTimeout(callback, milliseconds),
      clear: (timer) => window.clearTimeout(timer),
    },
  ) {}

  /** Call it after the element got its source, or if the element is already loaded. */
  start(ready = false): void {
    this.#listen('progress', () => this.#sign());
    this.#listen('durationchange', () => this.#sign());
    this.#listen('loadedmetadata', () => this.#metadata());
    this.#listen('playing', () => this.#playing());
    this.#listen('error', () => void this.#error());
    this.#isRead = ready;
    if (ready) return;
    this.#firstSign = this.clock.set(() => this.#report({ trouble: 'silence' }), FIRST_SIGN);
  }

  stop(): void {
    this.#stopped = true;
    this.#clearTimers();
    for (const [type, listener] of this.#listeners) this.element.removeEventListener(type, listener);
    this.#listeners.length = 0;
  }

  #listen(type: string, listener: () => void): void {
    this.element.addEventListener(type, listener);
    this.#listeners.push([type, listener]);
  }

  #clearTimers(): void {
    if (this.#firstSign !== null) this.clock.clear(this.#firstSign);
    if (this.#firstOutput !== null) this.clock.clear(this.#firstOutput);
    this.#firstSign = null;
    this.#firstOutput = null;
  }

  #sign(): void {
    if (this.#firstSign !== null) this.clock.clear(this.#firstSign);
    this.#firstSign = null;
  }

  #metadata(): void {
    this.#sign();
    this.#isRead = true;
    if (this.subject.vcodec !== null && this.element.videoWidth === 0) {
      this.element.pause();
      this.#report({ trouble: 'no-picture' });
    } else if (this.#verdict.trouble === 'silence') {
      this.#report({ trouble: null });
    }
  }

  #playing(): void {
    this.#sign();
    this.#hasRun = true;
    if (this.#firstOutput !== null) return;
    this.#firstOutput = this.clock.set(() => {
      this.#firstOutput = null;
      if (!this.element.paused) this.#judgeOutput();
    }, FIRST_OUTPUT);
  }

  #judgeOutput(): void {
    const { vcodec, acodec } = this.subject;
    if (vcodec !== null && decodesNoPicture(this.element)) {
      this.element.pause();
      this.#report({ trouble: 'no-picture' });
    } else if (acodec !== null) this.#report({ mute: decodesNoSound(this.element) });
  }

  async #error(): Promise<void> {
    this.#clearTimers();
    const code = this.element.error?.code;
    const isBreak = code === NETWORK || this.#hasRun || (this.#isRead && code !== DECODE);
    const status = await this.probe();
    if (this.#stopped) return;
    const trouble = troubleOf(status);
    this.#report({ trouble: trouble === 'refused' && isBreak ? 'interrupted' : trouble });
  }

  #report(change: Partial<Verdict>): void {
    this.#verdict = { ...this.#verdict, ...change };
    this.onverdict(this.#verdict);
  }
}

function troubleOf(status: number): Trouble {
  if (status === 0 || status >= 500) return 'unreachable';
  if (status === 401) return 'session';
  if (status === 404) return 'missing';
  return 'refused';
}

/** Hidden pages decode no pictures. */
function decodesNoPicture(element: MediaLike): boolean {
  if (typeof document !== 'undefined' && document.hidden) return false;
  return element.getVideoPlaybackQuality?.().totalVideoFrames === 0;
}

function decodesNoSound(element: MediaLike): boolean {
  if (element.webkitAudioDecodedByteCount !== undefined) return element.webkitAudioDecodedByteCount === 0;
  if (element.mozHasAudio !== undefined) return !element.mozHasAudio;
  return element.audioTracks !== undefined && element.audioTracks.length === 0;
}
