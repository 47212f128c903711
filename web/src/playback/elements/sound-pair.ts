/** The two elements of the player, with files that they play by themselves or through the decoder. */
import type { MediaFile } from '../../api/models';
import { isCutShort } from '../decode/cut-short';
import { decide } from '../decode/decision';
import { readDevice } from '../decode/device';
import { LazySession } from '../decode/session/lazy-session';
import type { Failure } from '../decode/protocol';
import { browserSupport } from '../decode/supports';
import { ElementPair, type Attach } from './element-pair';

/** An error of a file that is decoded; null after its end. */
interface Change {
  trouble: Failure | 'unreachable' | null;
}

/** Seconds without a response of the server after which an error is shown. */
const PATIENCE = 5;

export class SoundPair extends ElementPair {
  /** Files that the element rejected. */
  readonly #rejected = new Set<number>();
  /** Files that could not be prepared. They are loaded when they are due, and their error is reported then. */
  readonly #unready = new Set<number>();

  #active: MediaFile | null = null;

  /** `report` receives the errors of the active file. */
  constructor(
    elements: readonly [HTMLAudioElement, HTMLAudioElement],
    private readonly report: (change: Change) => void,
  ) {
    super(...elements);
  }

  /** Makes a file active, to start at `at` seconds. Returns true if it was loaded, with its length known. */
  putFile(file: MediaFile, at: number): boolean {
    this.#active = file;
    this.#unready.delete(file.id);
    return this.put(file.content_url, this.#decoderOf(file, at));
  }

  /** Listens to the end of the active file. The early end of a decoded file is reported as damage instead. */
  onEnd(listener: () => void): void {
    this.on('ended', () => {
      const file = this.#active;
      const { currentTime } = this.element;
      if (file && this.decodes(file) && isCutShort(file, currentTime)) this.report({ trouble: 'damaged' });
      else listener();
    });
  }

  /** Loads the next file; without one, drops the preloaded file. */
  prepareFile(file: MediaFile | undefined): void {
    if (file && !this.#unready.has(file.id)) this.prepare(file.content_url, this.#decoderOf(file, 0));
    else this.unprepare();
  }

  /** Returns true if the page decodes a file. */
  decodes(file: MediaFile): boolean {
    const way = this.#rejected.has(file.id) ? 'decode' : null;
    // An embedded cover is a video stream to some probes.
    const facts = { ...file, vcodec: null };
    return decide(facts, browserSupport(), readDevice(), { audio: null, way }).way === 'decode';
  }

  /** Records that the element rejected a file, and retries it with the decoder. Returns false if that is impossible. */
  reject(file: MediaFile | null, retry: () => void): boolean {
    if (!file || this.decodes(file)) return false;
    this.#rejected.add(file.id);
    if (!this.decodes(file)) return false;
    retry();
    return true;
  }

  #decoderOf(file: MediaFile, at: number): Attach | undefined {
    if (!this.decodes(file)) return undefined;
    return (element) => {
      const report = (change: Change) => this.#report(element, file, change);
      const callbacks = {
        failed: (trouble: Failure) => report({ trouble }),
        stalled: (seconds: number) => {
          const isDry = element.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
          if (seconds >= PATIENCE && isDry) report({ trouble: 'unreachable' });
        },
        resumed: () => report({ trouble: null }),
      };
      const session = new LazySession(element, null, file.content_url, planOf(file, at), callbacks);
      return () => session.close();
    };
  }

  #report(element: HTMLAudioElement, file: MediaFile, change: Change): void {
    if (element === this.element) return this.report(change);
    if (!change.trouble) return;
    this.#unready.add(file.id);
    this.unprepare();
  }
}

function planOf({ name, duration, vcodec }: MediaFile, at: number) {
  const tracks = { audio: null, video: false, passesVideo: false, subtitles: [] };
  return { ...tracks, name, at, duration, isSound: vcodec === null };
}
