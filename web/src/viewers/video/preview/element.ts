/** Pictures from a second, silent element, for films whose picture the browser decodes. */
import { WIDTH, type PreviewSource, type Taken } from './source';

/** Milliseconds that the element has for a picture. */
const PATIENCE = 5000;

export class ElementSource implements PreviewSource {
  /** The element also waits for the server, and decodes up to the exact time in browsers without `fastSeek`. */
  readonly limit = 700;
  readonly #video = document.createElement('video');

  constructor(url: string) {
    Object.assign(this.#video, { muted: true, playsInline: true, preload: 'metadata', src: url });
  }

  async take(at: number): Promise<Taken | null> {
    const video = this.#video;
    const isReady = video.readyState > 0 || (await arrives(video, 'loadedmetadata'));
    if (!isReady) return null;
    const before = performance.now();
    const sought = arrives(video, 'seeked');
    // The nearest key picture is enough, where the browser can find it.
    if ('fastSeek' in video) video.fastSeek(at);
    else (video as HTMLVideoElement).currentTime = at;
    if (!(await sought) || !(video.videoWidth > 0)) return null;
    const picture = document.createElement('canvas');
    picture.width = Math.min(WIDTH, video.videoWidth);
    picture.height = Math.max(1, Math.round((picture.width * video.videoHeight) / video.videoWidth));
    picture.getContext('2d')?.drawImage(video, 0, 0, picture.width, picture.height);
    return { picture, cost: performance.now() - before };
  }

  close(): void {
    this.#video.removeAttribute('src');
    this.#video.load();
  }
}

/** Waits for an event. Returns false after an error, or without the event for some seconds. */
async function arrives(video: HTMLVideoElement, event: string): Promise<boolean> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const hasArrived = await new Promise<boolean>((resolve) => {
    video.addEventListener(event, () => resolve(true), { signal });
    for (const failure of ['error', 'emptied'])
      video.addEventListener(failure, () => resolve(false), { signal });
    const timer = setTimeout(() => resolve(false), PATIENCE);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
  waiting.abort();
  return hasArrived;
}
