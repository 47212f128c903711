/** A run: from a position on, with some of the streams, as far ahead of playback as the page has room. */
import type { FromWorker, ToWorker } from '../protocol';
import { END, Failed, failureOf } from './failure';
import type { Film, Sink, Surroundings } from './film';
import type { RawPicture } from './module';
import { copyOf, CueCollector, pictureOf } from './output';

type Start = Extract<ToWorker, { kind: 'start' }>;
type Clock = Pick<Extract<ToWorker, { kind: 'clock' }>, 'time' | 'waiting' | 'hidden'>;

/** Type of decoded sound. */
const FLAC = 'audio/mp4; codecs="flac"';
/** Seconds that are read ahead of playback. */
const AHEAD = 20;
/** Seconds ahead up to which sound comes before pictures. */
const SOUND_FIRST = 4;
/** Pictures that wait for the page. */
const PICTURES = 24;
/** Bytes of packets that wait to be decoded. */
const QUEUE = 48 << 20;
/** Milliseconds of work between two looks at messages. */
const SLICE = 20;
/** Milliseconds of rest without a message. */
const REST = 200;
/** Milliseconds of work without progress after which a file counts as damaged. */
const HANG = 10_000;
/** Most milliseconds of a slice that count as work. During a longer one, the machine slept. */
const LONGEST_SLICE = 5000;
/** Errors in a row that end the file. */
const ERRORS = 32;
/** Seconds behind playback at which decoding leaves out some pictures, or all until a key picture. */
const LATE = 0.3;
const VERY_LATE = 3;
/** Formats without an index, whose seeks end more than a second too early. */
const ROUGH: ReadonlySet<string> = new Set(['mpeg', 'mpegts']);
/** Seconds after the start that are read before the first picture is decoded. Then its key picture is known. */
const MARGIN = 0.3;
/** A run that begins before this and yields nothing has found no film, not its end. */
const BEGINNING = 1;

export class Run implements Sink {
  #clock: Clock;
  /** Pictures that were sent since the last report of the page. */
  #sent = 0;
  /** Time of the last picture. */
  #shown: number | null = null;
  readonly #announced = new Set<'video' | 'audio'>();
  #hasOutput = false;
  /** No packet was found until now. */
  #isEmpty = true;
  #isRead = false;
  #isDrained: boolean;
  /** The first packet to decode is that of the last key picture before the start. */
  #isAligned: boolean;
  #isEnded = false;
  #isOver = false;
  #errors = 0;
  #idle = 0;
  #furthest = 0;
  #wake: (() => void) | null = null;
  readonly #cues: CueCollector;

  constructor(
    private readonly film: Film,
    private readonly start: Start,
    private readonly surroundings: Surroundings,
  ) {
    this.#clock = { time: start.at, waiting: 0, hidden: false };
    this.#isDrained = start.video?.method !== 'decode';
    this.#isAligned = this.#isDrained || start.at <= 0 || !ROUGH.has(film.contents.format);
    this.#cues = new CueCollector((cue) => {
      const buffers = cue.pictures.map(({ data }) => data);
      this.#emit({ kind: 'subtitle', run: start.run, cue }, buffers);
    });
  }

  /** Ends the run. Nothing more is sent. */
  close(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  setClock(clock: Clock): void {
    this.#clock = clock;
    this.#sent = 0;
    if (!this.#isDrained && this.film.isOpen) this.#keepUp();
    this.#wake?.();
  }

  /** Works until the end of the file, or until another run replaces this one. */
  async play(): Promise<void> {
    do {
      if (this.#isOver) return;
      this.film.sink = this;
      this.#begin();
    } while (await this.film.recovers());
    while (!this.#isOver) {
      if (!this.#isRead) await this.film.prepare();
      if (this.#isOver) return;
      const hasWorked = this.#slice();
      if (await this.film.recovers()) {
        if (!this.#isOver) this.film.call((calls) => calls.resume());
        continue;
      }
      this.film.report();
      if (this.#isRead && (this.#isDrained || this.#isSoundOver())) this.#end();
      if (this.#isEnded && this.#isDrained) return;
      await (hasWorked ? this.surroundings.breathe() : this.#rest());
    }
  }

  #begin(): void {
    const { video, audio, at, subtitles } = this.start;
    const result = this.film.call((calls) => {
      for (const { index, type } of this.film.contents.streams)
        if (type === 'subtitle') calls.subtitle(index, Number(subtitles.includes(index)));
      const isCopied = (lane: typeof video) => Number(lane?.method === 'copy');
      return calls.start(video?.stream ?? -1, isCopied(video), audio?.stream ?? -1, isCopied(audio), at);
    });
    if (result < 0 && !this.film.reader.problem) throw failureOf(result, this.film.heap);
  }

  /** Works for a moment. Returns false if there was nothing to do. */
  #slice(): boolean {
    const start = performance.now();
    let hasWorked = false;
    while (performance.now() - start < SLICE && !this.film.reader.problem && this.#work()) hasWorked = true;
    this.#watch(performance.now() - start);
    return hasWorked;
  }

  #work(): boolean {
    if (!this.#isAligned) return this.#align();
    const { time, waiting, hidden } = this.#clock;
    const ahead = this.film.call((calls) => calls.position()) - time;
    const isHungry = this.start.audio !== null && this.#shown !== null && ahead < SOUND_FIRST;
    if (isHungry && !this.#isRead) return this.#step();
    const hasRoom = !hidden && waiting + this.#sent < PICTURES;
    if (!this.#isDrained && hasRoom && this.#decode()) return true;
    const isFar = ahead >= AHEAD || this.film.call((calls) => calls.queued()) >= QUEUE;
    return !this.#isRead && !isFar && this.#step();
  }

  /** Reads up to the start, and drops the pictures before its key picture. */
  #align(): boolean {
    const { at } = this.start;
    const { position, queued } = this.film.call((calls) => ({
      position: calls.position(),
      queued: calls.queued(),
    }));
    if (!this.#isRead && position < at + MARGIN && queued < QUEUE) return this.#step();
    this.film.call((calls) => calls.trim(at));
    this.#isAligned = true;
    return true;
  }

  #step(): boolean {
    const result = this.film.call((calls) => calls.step());
    if (this.film.reader.problem) return false;
    this.#cues.finish();
    if (result !== END) this.#isEmpty = false;
    this.#errors = result < 0 ? this.#errors + 1 : 0;
    if (result !== END && this.#errors < ERRORS) return true;
    this.film.call((calls) => calls.finish());
    this.#isRead = true;
    return true;
  }

  /** Decodes a packet of pictures. Returns false if none waits. */
  #decode(): boolean {
    const start = performance.now();
    const isAfterFirst = this.#shown !== null;
    const count = this.film.call((calls) => calls.decode());
    const taken = performance.now() - start;
    // Pictures between the key picture and the start are decoded, but not counted: their time would make a device slow.
    // The same applies to one during which the machine slept.
    if (isAfterFirst && taken < LONGEST_SLICE) {
      this.film.busy += taken / 1000;
      if (count > 0) this.film.pictures += count;
    }
    if (count < 0 && this.#isRead) this.#isDrained = true;
    return count >= 0;
  }

  /** Drops pictures that would arrive too late. */
  #keepUp(): void {
    const { time, hidden } = this.#clock;
    const late = this.#shown === null ? 0 : time - this.#shown;
    this.film.call((calls) => {
      calls.hurry(Number(!hidden && late > LATE));
      if (hidden || late > VERY_LATE) calls.trim(time);
    });
  }

  /** Ends a file that makes the decoder work for long without a result. */
  #watch(milliseconds: number): void {
    const { furthest } = this.film.reader;
    this.#idle = furthest > this.#furthest ? 0 : this.#idle + Math.min(milliseconds, LONGEST_SLICE);
    this.#furthest = furthest;
    if (this.#idle > HANG) throw new Failed('damaged', 'no progress');
  }

  #end(): void {
    if (this.#isEnded) return;
    const wantsOutput = this.start.video !== null || this.start.audio !== null;
    if (wantsOutput && !this.#hasOutput && this.start.at < BEGINNING && !this.#clock.hidden)
      throw this.#withoutOutput();
    this.#isEnded = true;
    this.#emit({ kind: 'end', run: this.start.run }, []);
  }

  /** A hidden page gets no pictures: its film is over with the sound. Without sound, it waits for them. */
  #isSoundOver(): boolean {
    return this.#clock.hidden && this.start.audio !== null;
  }

  #withoutOutput(): Failed {
    if (this.#isEmpty) return new Failed('empty', 'the file contains no packets');
    return failureOf(0, this.film.heap);
  }

  async #rest(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REST);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  #emit(message: FromWorker, transfer: ArrayBuffer[]): void {
    this.#idle = 0;
    this.surroundings.post(message, transfer);
  }

  bytes(lane: 'video' | 'audio', offset: number, data: Uint8Array): void {
    const { run } = this.start;
    if (!this.#announced.has(lane)) {
      this.#announced.add(lane);
      this.#emit({ kind: 'lane', run, lane, mime: this.#mimeOf(lane), offset }, []);
    }
    this.#hasOutput = true;
    const copy = copyOf(data);
    this.#emit({ kind: 'bytes', run, lane, data: copy }, [copy]);
  }

  #mimeOf(lane: 'video' | 'audio'): string {
    const chosen = this.start[lane];
    const stream = this.film.contents.streams.find(({ index }) => index === chosen?.stream);
    return chosen?.method === 'copy' && stream?.mime ? stream.mime : FLAC;
  }

  picture(raw: RawPicture): void {
    const picture = pictureOf(raw);
    this.#sent += 1;
    this.#shown = picture.time;
    this.#hasOutput = true;
    this.#emit(
      { kind: 'picture', run: this.start.run, picture },
      picture.planes.map(({ data }) => data),
    );
  }

  cue(...parameters: Parameters<Sink['cue']>): void {
    this.#cues.begin(...parameters);
  }

  cuePicture(...parameters: Parameters<Sink['cuePicture']>): void {
    this.#cues.add(...parameters);
  }
}
