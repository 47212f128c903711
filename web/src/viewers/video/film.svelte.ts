/** A film in its element: the way in which it plays, loading, retries, and removal. */
import type { ApiClient } from '../../api/client';
import type { MediaFile } from '../../api/models';
import {
  decide,
  slowness,
  wayAfter,
  waysOf,
  type Decision,
  type PlayableWay,
} from '../../playback/decode/decision';
import { BEARABLE, readDevice, saveSpeed } from '../../playback/decode/device';
import { isCutShort } from '../../playback/decode/cut-short';
import { LazySession } from '../../playback/decode/session/lazy-session';
import { nativeObstacle, trackOf, type Facts } from '../../playback/decode/native';
import type { Contents } from '../../playback/decode/protocol';
import type { Callbacks } from '../../playback/decode/session/session';
import { browserSupport } from '../../playback/decode/supports';
import { hasDecoder } from '../../lib/engines';
import { enableTrack } from '../../playback/elements/sound-track';
import { PlaybackError } from '../../playback/playback-error.svelte';
import type { Verdict } from '../../playback/watchdog';
import type { Previews } from './preview/previews';
import type { FindStream, Inside } from './subtitles/pictures/film';

type FilmSource = Pick<MediaFile, 'id' | 'name' | 'content_url' | 'duration' | 'streams'> & Facts;

/** State of the element before a reload, which resets the element. */
interface Now {
  time: number;
  paused: boolean;
  speed: number;
}

interface Shown {
  element: HTMLVideoElement;
  /** Decoded pictures appear here. */
  canvas: HTMLCanvasElement | null;
  reel: FilmSource;
}

const NATIVE: Decision = { way: 'native', reason: { kind: 'plays' } };
/** Seconds without a response of the server after which an error is shown. */
const PATIENCE = 5;

export class Film {
  waiting = $state(false);
  /** True once the length is known and the start position is set. */
  begun = $state(false);
  /** The way in which the film plays, with the reason. */
  decision = $state.raw(NATIVE);
  /** The ways that the user can select. */
  ways = $state.raw<readonly PlayableWay[]>([]);
  /** Number of the sound track that the user selected; null for the default. */
  #audio = $state<number | null>(null);
  /** The element plays the first sound track although another one is wanted: the browser offers no choice. */
  isFirstTrack = $state(false);
  /** The way that the user selected, or to which playback fell back. */
  #way: PlayableWay | null = null;
  /** The user selected the way, and accepts that it is slow. */
  #isChosen = false;
  #isSound = false;
  readonly #playbackError: PlaybackError;
  #there: Shown | null = null;
  #session: LazySession | null = null;
  /** Contents of the file, while the page reads it by itself. */
  contents: Contents | null = null;
  /** The picture subtitles to extract. */
  #subtitles: FindStream | null = null;
  /** Receives subtitles from inside the file. */
  inside: Inside | null = null;
  /** The pictures of the timeline; null before its first use. */
  previews: Previews | null = null;
  /** True if playback should start after loading. */
  #plays = true;

  /** `from` is the start position in seconds. */
  constructor(
    api: Pick<ApiClient, 'probe'>,
    private from: number,
    private readonly now: () => Now,
  ) {
    this.#playbackError = new PlaybackError(api, {
      place: () => `${this.#there?.reel.id} ${Math.round(now().time)}`,
      isWanted: () => this.#isWanted,
      onbroke: () => (this.waiting = true),
      onstop: () => (this.waiting = false),
      retry: () => this.resumeAt(),
      fallBack: (verdict) => this.#fallBack(verdict),
    });
  }

  get verdict(): Verdict {
    return this.#playbackError.verdict;
  }

  /** The canvas shows the picture; the element plays the sound only. */
  get isDrawn(): boolean {
    return this.decision.way === 'decode' && this.decision.audioOnly !== true;
  }

  /** The element that shows the picture. */
  get screen(): HTMLVideoElement | HTMLCanvasElement | null {
    return (this.isDrawn ? this.#there?.canvas : this.#there?.element) ?? null;
  }

  /** True if the page can play any sound track of the file; otherwise the element offers its own. */
  readonly canChooseAudio = hasDecoder();

  /** Number of the sound track that plays. */
  get audio(): number {
    return this.isFirstTrack ? 0 : this.#wantedTrack;
  }

  get #wantedTrack(): number {
    return this.#there ? trackOf(this.#there.reel, this.#audio) : 0;
  }

  /** Plays a film in an element. The returned function unloads it. */
  play(element: HTMLVideoElement, reel: FilmSource, canvas: HTMLCanvasElement | null = null): () => void {
    this.#there = { element, reel, canvas };
    this.ways = waysOf(reel, browserSupport());
    this.#load(true);
    return () => {
      this.#unload();
      this.#there = null;
      this.previews?.close();
      this.previews = null;
    };
  }

  /** Returns true if a decoded film ended long before its length: its data is damaged there, and it is not finished. */
  isCutShort(time: number): boolean {
    const reel = this.#there?.reel;
    return reel !== undefined && this.decision.way !== 'native' && isCutShort(reel, time);
  }

  /** Reports that the rest of the film cannot be decoded. */
  reportDamage(): void {
    this.#playbackError.report({ trouble: 'damaged' });
  }

  /** The length of the film is known. */
  begin(): void {
    const element = this.#there?.element;
    // A session that continues in another source keeps the position by itself.
    if (!element || this.begun) return;
    if (this.from > 0) element.currentTime = this.from;
    element.playbackRate = this.now().speed;
    const track = this.#wantedTrack;
    this.isFirstTrack = this.decision.way === 'native' && track > 0 && !enableTrack(element, track);
    this.begun = true;
  }

  /** Retries at the same position after an error. */
  retry(): void {
    this.#reload(true);
  }

  /** Reloads automatically. Paused playback stays paused. */
  resumeAt(): void {
    this.#reload(this.#isWanted);
  }

  /** Plays in the way that the user selected; null selects it automatically. */
  choose(way: PlayableWay | null): void {
    this.#way = way;
    this.#isChosen = way !== null;
    this.#isSound = false;
    this.#reload(this.#isWanted || this.verdict.trouble !== null);
  }

  /** Plays the sound without the picture. */
  playSound(): void {
    this.#isSound = true;
    this.#reload(true);
  }

  /** Returns true if the page does not have to decode the picture because of another sound track. */
  keepsPicture(track: number): boolean {
    const reel = this.#there?.reel;
    if (!reel) return false;
    const wayOf = (audio: number | null) => decide(reel, browserSupport(), readDevice(), { audio }).way;
    return ['native', 'transmux'].includes(wayOf(track)) || wayOf(track) === wayOf(null);
  }

  /** Plays another sound track, by its number among the sound tracks. */
  chooseAudio(track: number): void {
    this.#audio = track;
    // A session that failed is over.
    if (this.#session && this.verdict.trouble === null) this.#session.select({ audio: track });
    else this.#chooseAudioOfElement(track);
  }

  #chooseAudioOfElement(track: number): void {
    if (!this.#there) return;
    const { element, reel } = this.#there;
    const obstacle = nativeObstacle(reel, track)?.kind ?? 'track';
    const canStay = this.decision.way === 'native' && this.begun && obstacle === 'track';
    if (canStay && enableTrack(element, track)) return;
    // The later choice counts: the element does not play this track.
    if (this.#way === 'native') this.#way = null;
    this.#reload(this.#isWanted);
  }

  /** Extracts picture subtitles. A native film is repackaged for that; null extracts none from its next start on. */
  chooseSubtitles(find: FindStream | null): void {
    this.#subtitles = find;
    if (find === null) return;
    if (this.#session) return this.#session.select({ subtitles: this.#streams });
    if (this.decision.way !== 'native') return;
    this.#way = null;
    this.#reload(this.#isWanted);
  }

  /** The film that plays, with its element; null before. */
  get there(): Shown | null {
    return this.#there;
  }

  get #streams(): number[] {
    const stream = this.contents && this.#subtitles?.(this.contents);
    return stream === null || stream === undefined ? [] : [stream];
  }

  /** An element whose file never arrived can pause by itself. */
  get #isWanted(): boolean {
    return this.begun ? !this.now().paused : this.#plays;
  }

  #reload(plays: boolean): void {
    const { time } = this.now();
    if (this.begun && time > 0) this.from = time;
    this.#unload();
    this.#load(plays);
  }

  #load(plays: boolean): void {
    if (!this.#there) return;
    const { element, reel } = this.#there;
    const wish = {
      ...{ audio: this.#audio, way: this.#way, audioOnly: this.#isSound },
      subtitles: this.#subtitles !== null,
    };
    this.begun = this.isFirstTrack = false;
    this.#plays = plays;
    this.decision = decide(reel, browserSupport(), readDevice(), wish);
    const { way, reason } = this.decision;
    if (way === 'no') {
      const share = reason.kind === 'device' ? { share: reason.possible / reason.needed } : {};
      return this.#playbackError.report({
        trouble: reason.kind === 'device' ? 'slow' : 'unsupported',
        ...share,
      });
    }
    element.defaultPlaybackRate = this.now().speed; // `load` resets it to this value
    if (way === 'native') element.src = reel.content_url;
    else this.#session = this.#open(this.#there);
    // Decoded pictures do not pass through the element.
    const subject = { acodec: reel.acodec, vcodec: way === 'decode' ? null : reel.vcodec };
    this.#playbackError.watch(element, subject, reel.content_url, way !== 'native');
    if (plays) void element.play().catch(() => {});
    else this.waiting = false;
  }

  #open({ element, canvas, reel }: Shown): LazySession {
    const { way, audioOnly } = this.decision;
    const video = audioOnly !== true;
    const plan = {
      name: reel.name,
      at: this.from,
      duration: reel.duration,
      isSound: false,
      audio: this.#audio,
      video,
      passesVideo: way === 'transmux',
      subtitles: [],
    };
    this.waiting = true;
    return new LazySession(element, video ? canvas : null, reel.content_url, plan, this.#callbacks());
  }

  #callbacks(): Callbacks {
    return {
      opened: (contents) => {
        this.contents = contents;
        if (this.#subtitles) this.#session?.select({ subtitles: this.#streams });
      },
      began: () => this.inside?.begin?.(),
      failed: (trouble) => this.#playbackError.report({ trouble }),
      // While the element has data, the film goes on, and the worker repeats its request.
      stalled: (seconds) => {
        const isDry = (this.#there?.element.readyState ?? 0) < HTMLMediaElement.HAVE_FUTURE_DATA;
        if (seconds >= PATIENCE && isDry) this.#playbackError.report({ trouble: 'unreachable' });
      },
      resumed: () => this.#playbackError.report({ trouble: null }),
      mute: (mute) => this.#playbackError.report({ mute }),
      measured: (codec, possible, needed) => this.#measured(codec, possible, needed),
      subtitle: (cue) => this.inside?.subtitle?.(cue),
    };
  }

  #measured(codec: string, possible: number, needed: number): void {
    saveSpeed(codec, possible);
    if (this.#isChosen || possible >= needed * BEARABLE) return;
    if (this.begun && this.now().time > 0) this.from = this.now().time;
    this.#unload();
    this.#playbackError.report({ trouble: 'slow', share: possible / needed });
  }

  /** Plays the film in the next way, at the same position. Returns false if there is none. */
  #fallBack({ mute, trouble }: Verdict): boolean {
    const reel = this.#there?.reel;
    const { way } = this.decision;
    if (!reel || (trouble === null && mute && way !== 'native')) return false;
    const next = wayAfter(way, reel, browserSupport());
    if (next === null) return false;
    const limit = next === 'decode' ? slowness(reel, readDevice()) : null;
    const plays = this.#isWanted;
    if (this.begun && this.now().time > 0) this.from = this.now().time;
    this.#unload();
    if (limit) this.#playbackError.report({ trouble: 'slow', share: limit.possible / limit.needed });
    else {
      this.#way = next;
      this.#load(plays);
    }
    return true;
  }

  #unload(): void {
    this.#session?.close();
    this.#session = null;
    this.contents = null;
    this.#playbackError.clear();
    this.#there?.element.removeAttribute('src');
    this.#there?.element.load();
  }
}
