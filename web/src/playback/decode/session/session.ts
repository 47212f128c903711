/** Plays one file in an element through the decoder: sound, and pictures where the browser has no decoder for them. */
import { ActiveTime } from '../../../lib/active-time';
import { appends } from '../supports';
import { haveSameNames, lanesOf, NO_TRACK, type Lanes, type TrackChoice } from './lanes';
import { PictureLoop } from '../picture/loop';
import { openPort, type OpenPort, type Port } from './port';
import { ProgressWatch } from './progress-watch';
import type { Contents, Failure, FromWorker, Picture, SubtitleCue } from '../protocol';
import { needOf, SpeedMeter, USUAL_RATE } from '../device';
import { nextStart, Source } from '../source/media-source';
import { SilentClock } from '../source/silent-clock';

export interface Plan extends TrackChoice {
  /** Name of the file: some formats have no other sign. */
  readonly name: string;
  /** Start position in seconds. */
  readonly at: number;
  /** Length in seconds from the server, in case the file does not state it. */
  readonly duration: number | null;
  /** The small build is enough: the file is a sound file. */
  readonly isSound: boolean;
  /** Numbers of the subtitle streams to extract. */
  readonly subtitles: readonly number[];
}

export interface Callbacks {
  /** The file is open. Subtitles can be selected by what it contains. */
  opened?: (contents: Contents) => void;
  /** Reading begins at a new position: earlier subtitles are void. */
  began?: () => void;
  /** Playback is over. */
  failed: (reason: Failure, detail: string) => void;
  /** The server has not answered for some seconds. */
  stalled: (seconds: number) => void;
  resumed: () => void;
  /** The file has sound that cannot be decoded, or another track of it can be. */
  mute?: (isMute: boolean) => void;
  /** Measured once for each session: the speed of decoding, and the speed of the film, in pixels per second. */
  measured?: (codec: string, possible: number, needed: number) => void;
  subtitle?: (cue: SubtitleCue) => void;
}

/** Milliseconds between two reports of the position. */
const TICK = 100;
/** Milliseconds that sound waits for the first picture. */
const PATIENCE = 4000;
/** Largest gap in seconds that playback skips. */
const REACH = 5;
/** Seconds by which a seek may miss the start of the run that was requested for it. */
const TOLERANCE = 0.5;
/** Milliseconds between two runs while the user drags the slider. */
const CALM = 150;
/** Milliseconds, seconds and pictures of a film after which sound that has not begun counts as undecodable. */
const SOUNDLESS = { wait: 3000, seconds: 5, pictures: 20 };

export class Session {
  readonly #port: Port;
  #source: Source | null = null;
  /** Replaces the source of a film without sound. */
  #clock: SilentClock | null = null;
  #contents: Contents | null = null;
  #lanes: Lanes | null = null;
  #pictures: PictureLoop | null = null;
  #run = 0;
  /** Start of the current run. */
  #from: number;
  /** The run is complete. */
  #isComplete = false;
  #isClosed = false;
  #isStalled = false;
  readonly #active = new ActiveTime();
  #holdUntil = 0;
  /** Bytes of sound have arrived in some run. */
  #hasSound = false;
  #isMute = false;
  /** Position to which the element returns in a further source. Its owner sets that of the first one. */
  #returnTo: number | null = null;
  /** Position that the session itself set. */
  #nudge: number | null = null;
  #restarted = 0;
  #restart: ReturnType<typeof setTimeout> | undefined;
  #choice: TrackChoice;
  #subtitles: readonly number[];
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #progress = new ProgressWatch();
  readonly #meter = new SpeedMeter((rate) => this.#measured(rate));
  readonly #seeking = () => this.#seek(this.element.currentTime);

  constructor(
    private readonly element: HTMLMediaElement,
    private readonly canvas: HTMLCanvasElement | null,
    url: string,
    private readonly plan: Plan,
    private readonly callbacks: Callbacks,
    open: OpenPort = openPort,
  ) {
    this.#from = plan.at;
    this.#choice = plan;
    this.#subtitles = plan.subtitles;
    this.#port = open(
      (message) => this.#receive(message),
      (reason, detail) => this.#fail(reason, detail),
    );
    this.#port.open(url, plan.name, plan.isSound);
    element.addEventListener('seeking', this.#seeking);
    this.#timer = setInterval(() => this.#tick(), TICK);
    void this.#attach();
  }

  /** Contents of the file, once it is open. */
  get contents(): Contents | null {
    return this.#contents;
  }

  /** Plays other tracks from the current position. */
  select(choice: { audio?: number | null; subtitles?: readonly number[] }): void {
    if (choice.audio !== undefined) this.#choice = { ...this.#choice, audio: choice.audio };
    if (choice.subtitles !== undefined) this.#subtitles = choice.subtitles;
    if (this.#isClosed || this.#lanes === null || !this.#contents) return;
    const lanes = lanesOf(this.#contents, this.#choice, appends);
    if (!lanes) return this.#failUnsupported(this.#contents);
    if (!haveSameNames(lanes.mimes, this.#lanes.mimes)) return this.#rebuild();
    this.#use(lanes);
    this.#start(this.#position);
  }

  /** Ends the session. The element keeps its source until its owner removes it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#restart);
    this.element.removeEventListener('seeking', this.#seeking);
    this.#pictures?.close();
    this.#source?.close();
    this.#clock?.close();
    this.#port.close();
  }

  #fail(reason: Failure, detail: string): void {
    if (this.#isClosed) return;
    this.close();
    this.callbacks.failed(reason, detail);
  }

  #failUnsupported({ streams }: Contents): void {
    if (streams.length === 0) return this.#fail('empty', 'the file contains no streams');
    this.#fail('unsupported', streams.map(({ codec }) => codec).join(', '));
  }

  async #attach(): Promise<void> {
    try {
      const onfailed = (error: unknown) => this.#fail('damaged', String(error));
      this.#source = Source.attach(this.element, onfailed, this.#returnTo);
      await this.#source.opened;
      this.#begin();
    } catch (error) {
      this.#fail('unsupported', String(error));
    }
  }

  /** Begins once both the file and the media source are open. */
  #begin(): void {
    const source = this.#source;
    const contents = this.#contents;
    if (this.#isClosed || !source?.isOpen || !contents || this.#lanes) return;
    this.callbacks.opened?.(contents);
    const lanes = lanesOf(contents, this.#choice, appends);
    if (!lanes || (lanes.video?.method === 'decode' && !this.canvas)) return this.#failUnsupported(contents);
    this.#use(lanes);
    const duration = contents.duration ?? this.plan.duration;
    if (lanes.mimes.size > 0) source.open(lanes.mimes, duration);
    else this.#playSilence(duration);
    if (lanes.video?.method === 'decode' && this.canvas)
      this.#pictures ??= new PictureLoop(
        this.canvas,
        () => this.element.currentTime,
        (detail) => this.#fail('graphics', detail),
      );
    this.#request(this.#from);
  }

  #use(lanes: Lanes): void {
    this.#lanes = lanes;
    if (lanes.isMute !== this.#isMute) this.callbacks.mute?.(lanes.isMute);
    this.#isMute = lanes.isMute;
  }

  /** Continues in a new source: the lanes of a source are fixed, and browsers wait for each of them. */
  #rebuild(): void {
    this.#from = this.#position;
    this.#lanes = null;
    this.#hasSound = false;
    this.#source?.close();
    this.#clock?.close();
    this.#source = this.#clock = null;
    this.#returnTo = this.#from;
    void this.#attach();
  }

  /** Gives a film without sound a clock. */
  #playSilence(seconds: number | null): void {
    this.#source?.close();
    this.#clock = new SilentClock(this.element);
    this.#clock.start(seconds, this.#returnTo);
  }

  /** Ends the clock of a film without sound after its last picture. */
  #endClock(): void {
    if (!this.#clock || !this.#isComplete) return;
    const rate = this.#lanes?.picture?.rate || USUAL_RATE;
    const { currentTime } = this.element;
    // The element returns to its position, which needs no other run.
    if (this.#clock.shorten((this.#pictures?.newest ?? this.#from) + 1 / rate)) this.#nudge = currentTime;
  }

  /** Starts a run from another position, or with other tracks. */
  #start(at: number): void {
    if (this.#isClosed || !this.#lanes) return;
    this.#source?.clear();
    this.#request(at);
  }

  #request(at: number): void {
    const lanes = this.#lanes;
    if (!lanes) return;
    this.#run += 1;
    this.#from = at;
    this.#isComplete = false;
    this.#progress.reset();
    this.#restarted = this.#active.now();
    this.#pictures?.clear();
    this.#hold();
    this.callbacks.began?.();
    const { video, audio } = lanes;
    this.#port.post({ kind: 'start', run: this.#run, at, video, audio, subtitles: this.#subtitles });
  }

  /** Sound waits for the first picture: after a seek, a slow decoder needs time to reach the position. */
  #hold(): void {
    const holds = this.#pictures !== null && !document.hidden;
    this.#holdUntil = holds ? this.#active.now() + PATIENCE : 0;
    this.#source?.lane('audio')?.hold(holds);
  }

  #release(): void {
    if (this.#holdUntil === 0) return;
    this.#holdUntil = 0;
    this.#source?.lane('audio')?.hold(false);
  }

  #receive(message: FromWorker): void {
    if (this.#isClosed) return;
    this.#progress.reset();
    if ('run' in message && message.run !== this.#run) return;
    switch (message.kind) {
      case 'opened':
        this.#progress.isFetching = false;
        this.#contents = message.contents;
        return this.#begin();
      case 'lane':
        return this.#source?.lane(message.lane)?.begin(message.mime, message.offset);
      case 'bytes':
        if (message.lane === 'audio') this.#hasSound = true;
        return this.#source?.lane(message.lane)?.append(message.data);
      case 'picture':
        return this.#addPicture(message.picture);
      case 'subtitle':
        return this.callbacks.subtitle?.(message.cue);
      case 'end':
        this.#isComplete = true;
        return;
      case 'fetching':
        this.#progress.isFetching = message.isFetching;
        return;
      case 'stalled':
        this.#isStalled = true;
        return this.callbacks.stalled(message.seconds);
      case 'resumed':
        this.#isStalled = false;
        return this.callbacks.resumed();
      case 'failed':
        return this.#fail(message.reason, message.detail);
      case 'statistics':
        if (this.#pictures && !document.hidden) this.#meter.add(message.busy, message.pictures);
    }
  }

  #addPicture(picture: Picture): void {
    this.#pictures?.add(picture);
    if (picture.time >= this.#from - TOLERANCE) this.#release();
  }

  #tick(): void {
    if (!this.#lanes) return this.#checkWorker();
    const waiting = this.#pictures?.waiting ?? 0;
    const clock = { time: this.#position, waiting, hidden: document.hidden };
    this.#port.post({ kind: 'clock', run: this.#run, ...clock });
    if (this.#active.now() > this.#holdUntil || document.hidden || this.#isComplete) this.#release();
    if (this.#isSoundless()) return this.#dropSound();
    if (this.#lanes.mimes.size > 0) this.#source?.tick(this.#isComplete);
    this.#skipGap();
    this.#endClock();
    this.#checkWorker();
  }

  /** Returns true if the film has progressed, but none of its sound could be decoded. */
  #isSoundless(): boolean {
    if (this.#hasSound || !this.#lanes?.audio || !this.#lanes.video) return false;
    // The source must not end before: an empty lane is an error then.
    if (this.#isComplete) return true;
    if (this.#active.now() - this.#restarted < SOUNDLESS.wait) return false;
    const ahead = this.#source?.lane('video')?.ahead(this.#from) ?? 0;
    const waiting = this.#pictures?.waiting ?? 0;
    return ahead > SOUNDLESS.seconds || waiting >= SOUNDLESS.pictures;
  }

  /** Plays the picture alone. */
  #dropSound(): void {
    this.#choice = { ...this.#choice, audio: NO_TRACK };
    this.#rebuild();
  }

  /** Position of playback. Before the element knows its length, it is at 0, although the run begins elsewhere. */
  get #position(): number {
    const { currentTime, readyState } = this.element;
    return readyState === 0 ? Math.max(currentTime, this.#from) : currentTime;
  }

  /** Sound and picture rarely begin at exactly the same time, and damaged files have gaps. */
  #skipGap(): void {
    const { element } = this;
    if (element.readyState === 0 || element.readyState > 2) return;
    const next = nextStart(element.buffered, element.currentTime, REACH);
    if (next === null) return;
    this.#nudge = next + 0.001;
    element.currentTime = this.#nudge;
  }

  #checkWorker(): void {
    if (this.#isStalled || this.#isComplete || this.#isFull()) this.#progress.reset();
    // The worker itself ends a decoder that reads without a result. This covers a loop that never reads.
    if (this.#progress.isStuck()) this.#fail('crashed', 'no progress');
  }

  /** The worker may rest: enough is buffered. */
  #isFull(): boolean {
    const { buffered, currentTime } = this.element;
    const last = buffered.length - 1;
    return (this.#pictures?.waiting ?? 0) > 0 || (last >= 0 && buffered.end(last) > currentTime + 2);
  }

  #seek(to: number): void {
    const isOwn = this.#nudge !== null && Math.abs(to - this.#nudge) < 0.01;
    this.#nudge = null;
    if (isOwn || !this.#lanes || this.#covers(to)) return;
    clearTimeout(this.#restart);
    const wait = Math.max(0, this.#restarted + CALM - this.#active.now());
    this.#restart = setTimeout(() => this.#start(this.element.currentTime), wait);
  }

  /** Returns true if the current run reaches a position by itself. */
  #covers(to: number): boolean {
    if (Math.abs(to - this.#from) < TOLERANCE && !this.#pictures?.isPast(to)) return true;
    const hasSound = this.#lanes?.mimes.size === 0 || this.#source?.has(to) === true;
    return hasSound && (this.#pictures === null || this.#pictures.has(to));
  }

  #measured(picturesPerSecond: number): void {
    const picture = this.#lanes?.picture;
    if (!picture) return;
    const pixels = picture.width * picture.height;
    const needed = needOf(picture.width, picture.height, picture.rate);
    this.callbacks.measured?.(picture.codec, pixels * picturesPerSecond, needed);
  }
}
