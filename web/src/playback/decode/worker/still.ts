/** Takes single key pictures of a film, for the preview on the timeline. Its worker plays nothing. */
import type { Picture } from '../protocol';
import { END } from './failure';
import type { Film, Sink } from './film';
import { firstTime } from './fragment';
import type { RawPicture } from './module';
import { reducedOf } from './reduce';

/** Milliseconds of work, without waiting for the server, after which there is no picture. */
const PATIENCE = 1000;
/** Packets that are read to find a key picture, or to decode one. */
const PACKETS = 600;
/** Seconds after a key picture at which a run still begins with it. Its time has other units in the file. */
const BLUR = 0.005;
/** Time stamps of packets that are passed on are this much larger. */
const OFFSET = 10;

export interface Taken {
  readonly picture: Picture | null;
  /** Milliseconds of work, without waiting for the server. */
  readonly busy: number;
}

export class Still implements Sink {
  #picture: Picture | null = null;
  #key: number | null = null;
  #width = 0;
  #deadline = 0;

  constructor(private readonly film: Film) {}

  /** Returns the last key picture that is not after `at`, with about `width` pixels. */
  async take(stream: number, at: number, width: number): Promise<Taken> {
    await this.film.prepare();
    const before = this.#worked;
    this.#deadline = before + PATIENCE;
    this.#width = width;
    this.#picture = this.#key = null;
    this.film.sink = this;
    const key = this.#keyBefore(stream, at);
    this.#decode(stream, key === null ? at : key + BLUR);
    return { picture: this.#picture, busy: this.#worked - before };
  }

  get #worked(): number {
    return performance.now() - this.film.reader.waited;
  }

  /**
   * Returns the time of the key picture. Only packets that are passed on show it: decoding leaves out what precedes the start.
   * Null for codecs that MP4 does not contain; then all pictures since the key picture are decoded.
   */
  #keyBefore(stream: number, at: number): number | null {
    if (this.film.call((calls) => calls.start(stream, 1, -1, 0, at)) < 0) return null;
    this.#step(() => this.#key !== null);
    return this.#key;
  }

  #decode(stream: number, at: number): void {
    if (this.film.call((calls) => calls.start(stream, 0, -1, 0, at)) < 0) return;
    const decode = () => {
      while (this.#picture === null && this.film.call((calls) => calls.decode()) >= 0);
      return this.#picture !== null;
    };
    if (this.#step(decode)) return;
    this.film.call((calls) => calls.finish());
    decode();
  }

  /** Reads packets until the condition holds. Returns false if it never does. */
  #step(isDone: () => boolean): boolean {
    for (let packet = 0; packet < PACKETS && this.#worked < this.#deadline; packet += 1) {
      const result = this.film.call((calls) => calls.step());
      if (this.film.reader.problem || result === END) return false;
      if (isDone()) return true;
    }
    return false;
  }

  bytes(_lane: 'video' | 'audio', _offset: number, data: Uint8Array): void {
    const time = this.#key === null ? firstTime(data) : null;
    if (time !== null) this.#key = time - OFFSET;
  }

  picture(raw: RawPicture): void {
    this.#picture ??= reducedOf(raw, this.#width);
  }

  cue(): void {}

  cuePicture(): void {}
}
