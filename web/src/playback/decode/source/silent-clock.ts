/** The clock of a film without sound: its element plays silence. */
import { replaceSource } from './media-source';
import { silence } from './silence';

/** Length in seconds for a film of unknown length. */
const LONG = 4 * 3600;
/** Seconds by which the silence may be longer than the film. */
const EXCESS = 1;

export class SilentClock {
  #url = '';
  #length = 0;

  constructor(private readonly element: HTMLMediaElement) {}

  /** Starts a clock of some seconds; null if the length is unknown. `at` is explained at `replaceSource`. */
  start(seconds: number | null, at: number | null): void {
    this.close();
    this.#length = seconds ?? LONG;
    this.#url = URL.createObjectURL(silence(this.#length));
    replaceSource(this.element, this.#url, at);
  }

  /**
   * The film ends at `end`, because the stated length is wrong or missing. The element will end there, too. Returns false
   * if it does already.
   */
  shorten(end: number): boolean {
    if (this.#length - end <= EXCESS) return false;
    this.start(end, this.element.currentTime);
    return true;
  }

  close(): void {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = '';
  }
}
