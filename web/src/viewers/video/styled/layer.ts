/** Styled subtitles over a film. libass draws them in a worker, with the fonts of the film. */
import Jassub from 'jassub';
import defaultFont from 'jassub/dist/default.woff2?url';
import modernWasmUrl from 'jassub/dist/wasm/jassub-worker-modern.wasm?url';
import wasmUrl from 'jassub/dist/wasm/jassub-worker.wasm?url';
import type { AttachedFont } from '../../../api/models';
import { ActiveTime } from '../../../lib/active-time';
import { withOwnMargins } from './own-margins';
import { pictureIn, type Size } from './place';
import { loadFonts } from './fonts';
import { Lift, scriptHeight } from './lift';
import type { Missing } from './styled-worker';
import workerUrl from './styled-worker?worker&url';

/** Height in pixels above which pictures are scaled: the cost grows with the area. */
const MAX_HEIGHT = 1440;
/** Memory for drawn letters, in MiB. */
const MAX_MEMORY = 64;
/** Milliseconds for one picture. A script that takes longer is shown without styles. */
const PATIENCE = 10_000;
/** Events of a film that change its position or its size. */
const EVENTS = ['play', 'pause', 'seeked', 'timeupdate', 'ended', 'loadedmetadata', 'resize'];
/** A line without these characters is unreadable; without others it is not. */
const READ = /[\p{L}\p{M}\p{N}]/u;

interface Options {
  /** Seconds by which the subtitles are shown later. */
  delay: () => number;
  /** The size of the film's picture. */
  picture: () => Size;
  /** Height of the visible bars at the bottom, in pixels. */
  bars: () => number;
  /** Lists the fonts that are attached to the film. */
  fonts: (signal: AbortSignal) => Promise<readonly AttachedFont[]>;
  signal: AbortSignal;
  onfail: () => void;
}

/** Fetches a track's script and shows it over its film until the signal aborts. The returned function redraws it. */
export async function showStyledSubtitles(
  url: string,
  video: HTMLVideoElement,
  host: HTMLElement,
  options: Options,
): Promise<() => void> {
  const { signal } = options;
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`the script was answered with ${response.status}`);
  const script = await response.text();
  if (!/^Dialogue:/m.test(script)) throw new Error('the script has no line that can be shown');
  if (signal.aborted) return () => {};
  const layer = new StyledLayer(video, host, script, options);
  signal.addEventListener('abort', () => layer.stop());
  return () => layer.redraw();
}

class StyledLayer {
  readonly #canvas = document.createElement('canvas');
  readonly #jassub: Jassub;
  readonly #lift: Lift;
  readonly #scriptHeight: number;
  readonly #observer = new ResizeObserver(() => this.redraw());
  readonly #listening = new AbortController();
  #isReady = false;
  /** All fonts of the film are loaded. */
  #isComplete = false;
  readonly #active = new ActiveTime();
  /** Time of the request for the picture that is drawn at the moment. */
  #asked = 0;
  /** Cancels the request for the next frame. */
  #cancel: (() => void) | null = null;

  constructor(
    private readonly video: HTMLVideoElement,
    private readonly host: HTMLElement,
    script: string,
    private readonly options: Options,
  ) {
    this.#jassub = new Jassub({
      canvas: this.#canvas,
      subContent: withOwnMargins(script),
      workerUrl,
      wasmUrl,
      modernWasmUrl,
      fonts: [new URL(defaultFont, location.href).href],
      defaultFont: 'liberation sans',
      queryFonts: false,
      maxRenderHeight: MAX_HEIGHT,
      libassMemoryLimit: MAX_MEMORY,
    });
    this.#canvas.style.position = 'absolute';
    host.append(this.#canvas);
    this.#lift = new Lift(this.#jassub);
    this.#scriptHeight = scriptHeight(script);
    const { signal } = this.#listening;
    const { _worker: worker } = this.#jassub;
    worker.addEventListener('error', () => this.#fail(), { signal });
    worker.addEventListener('message', ({ data }) => this.#miss(data as Partial<Missing>), { signal });
    for (const event of EVENTS) video.addEventListener(event, () => this.redraw(), { signal });
    this.#observer.observe(host);
    this.#start().catch(() => this.#fail());
  }

  stop(): void {
    this.#listening.abort();
    this.#observer.disconnect();
    this.#cancel?.();
    this.#cancel = null;
    this.#jassub.destroy().catch(() => {});
    // It can hang. Its end frees the memory and the graphics context.
    this.#jassub._worker.terminate();
  }

  /** Draws the picture of the moment again, and follows the film. */
  redraw(): void {
    this.#draw();
    this.#follow();
  }

  async #start(): Promise<void> {
    const { signal } = this.#listening;
    // Without a list of fonts, the default font remains.
    const fonts = this.options.fonts(signal).then(
      (list) => loadFonts(list, signal),
      () => [],
    );
    await this.#jassub.ready;
    this.#isReady = true;
    this.redraw();
    const loaded = await fonts;
    if (signal.aborted) return;
    // From now on, missing letters count. They are reported again, because the caches of libass are empty then.
    this.#jassub._worker.postMessage('fonts');
    if (loaded.length > 0) await this.#jassub.renderer.addFonts(loaded);
    else await this.#jassub.renderer._wasm.reloadFonts();
    this.#isComplete = true;
    this.#draw(true);
  }

  #fail(): void {
    if (this.#listening.signal.aborted) return;
    this.stop();
    this.options.onfail();
  }

  /** Shows plain text if a letter has no font: libass would draw boxes. */
  #miss({ missing }: Partial<Missing>): void {
    if (missing === undefined || !this.#isComplete) return;
    if (READ.test(String.fromCodePoint(missing))) this.#fail();
  }

  #follow(): void {
    const { video } = this;
    this.#cancel?.();
    this.#cancel = null;
    if (video.paused || video.ended || this.#listening.signal.aborted) return;
    const next = () => this.redraw();
    // Films that the page decodes have no frames in the element.
    if (video.videoWidth > 0 && 'requestVideoFrameCallback' in video) {
      const frame = video.requestVideoFrameCallback(next);
      this.#cancel = () => video.cancelVideoFrameCallback(frame);
    } else {
      const frame = requestAnimationFrame(next);
      this.#cancel = () => cancelAnimationFrame(frame);
    }
  }

  #draw(again = false): void {
    const picture = this.options.picture();
    if (!this.#isReady || this.#listening.signal.aborted || !(picture.width > 0)) return;
    const now = this.#active.now();
    if (!this.#jassub.busy) this.#asked = now;
    else if (now - this.#asked > PATIENCE) return this.#fail();
    const bars = this.#place(picture);
    const draw = (repaint: boolean) => {
      // A raised line is drawn later, and the film or the delay can have moved.
      const mediaTime = this.video.currentTime - this.options.delay();
      return this.#jassub.manualRender({ ...picture, mediaTime, expectedDisplayTime: 0 }, repaint);
    };
    const lift = async () => (await this.#lift.raise(bars)) && draw(true);
    Promise.all([draw(again), lift()]).catch(() => this.#fail());
  }

  /** Puts the canvas over the picture. Returns the height of the bars over it, in units of the script. */
  #place(picture: Size): number {
    const { clientWidth: width, clientHeight: height } = this.host;
    const box = pictureIn({ width, height }, picture);
    for (const side of ['left', 'top', 'width', 'height'] as const)
      this.#canvas.style[side] = `${box[side]}px`;
    const above = this.options.bars() - (height - box.top - box.height);
    return Math.max(0, Math.round((above / box.height) * this.#scriptHeight)) || 0;
  }
}
