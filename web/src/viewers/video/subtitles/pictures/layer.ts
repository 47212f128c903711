/** Draws picture subtitles over a film, from the cues of the decoder. */
import type { SubtitleCue } from '../../../../playback/decode/protocol';
import { PictureCues } from './cues';
import { boundsOf, placeOf, type FilmSize } from './place';

export class PictureLayer {
  readonly #cues = new PictureCues();
  readonly #canvas = document.createElement('canvas');
  readonly #observer: ResizeObserver;
  #shown: SubtitleCue | null = null;
  #frame = 0;
  /** Sizes for which the canvas has its position. */
  #placed = '';

  constructor(
    /** The area of the player in which subtitles are drawn. */
    private readonly host: HTMLElement,
    /** Time of the subtitles: the position of playback without their delay. */
    private readonly clock: () => number,
    private readonly film: () => FilmSize,
  ) {
    this.#canvas.className = 'pictures';
    this.#canvas.hidden = true;
    host.append(this.#canvas);
    this.#observer = new ResizeObserver(() => this.#place());
    this.#observer.observe(host);
    this.#next();
  }

  /** The decoder starts from another position. Cues without an end would last until the ones that follow there. */
  begin(): void {
    this.#cues.clear();
  }

  subtitle(cue: SubtitleCue): void {
    this.#cues.add(cue, this.clock());
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
    this.#canvas.remove();
  }

  #next(): void {
    this.#frame = requestAnimationFrame(() => {
      this.#show(this.#cues.at(this.clock()));
      this.#next();
    });
  }

  #show(cue: SubtitleCue | null): void {
    if (cue !== this.#shown) {
      this.#shown = cue;
      this.#canvas.hidden = cue === null;
      this.#placed = '';
      if (cue) this.#draw(cue);
    }
    if (cue) this.#place();
  }

  /** The canvas has the pixels of the pictures. The browser scales it. */
  #draw({ pictures }: SubtitleCue): void {
    const { left, top, width, height } = boundsOf(pictures);
    Object.assign(this.#canvas, { width, height });
    const context = this.#canvas.getContext('2d');
    for (const { x, y, width, height, data } of pictures) {
      const pixels = new Uint8ClampedArray(data);
      if (pixels.length !== width * height * 4) continue; // damaged
      context?.putImageData(new ImageData(pixels, width, height), x - left, y - top);
    }
  }

  #place(): void {
    const cue = this.#shown;
    if (!cue?.area) return;
    const { clientWidth: width, clientHeight: height } = this.host;
    const film = this.film();
    const key = JSON.stringify([width, height, film]);
    if (key === this.#placed) return;
    this.#placed = key;
    const box = placeOf(boundsOf(cue.pictures), cue.area, film, { width, height });
    const styles = {
      left: `${box.left}px`,
      top: `${box.top}px`,
      width: `${box.width}px`,
      height: `${box.height}px`,
      '--below': `${height - box.top - box.height}px`,
    };
    for (const [name, value] of Object.entries(styles)) this.#canvas.style.setProperty(name, value);
    this.#canvas.toggleAttribute('data-foot', box.isFoot);
  }
}
