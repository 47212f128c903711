/**
 * The audio player, which continues across pages: the files of an item on one timeline, the position, and the queue.
 */
import type { ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/models';
import type { ProgressStore } from '../progress/progress-store.svelte';
import { PlaybackError } from './playback-error.svelte';
import { QueuedItem, type Outside } from './queued-item.svelte';
import type { SavedOrder } from './queue/saved-order';
import type { SavedQueue } from './queue/saved-queue';
import { SoundPair } from './elements/sound-pair';
import { queueFor } from '../catalogue/file-order';
import { viewerTraits } from '../catalogue/viewer-ids';
import { isWhole, markAt } from './timeline';
import type { Opening } from './queue/upcoming.svelte';
import type { Trouble } from './watchdog';

/** Seconds before the end of a file at which the next one is preloaded. */
const AHEAD = 30;
/** Ignores video codecs: an embedded cover is a video stream to some probes. */
const SOUND = { vcodec: null, acodec: null };

type Api = Pick<ApiClient, 'probe' | 'countView' | 'item' | 'gains'>;

export class Player extends QueuedItem {
  playing = $state(false);
  waiting = $state(false);
  readonly #pair: SoundPair;
  /** Start position, until the element knows its length. Until then it reports no position. */
  #start: number | null = null;
  /** The file is active, but not requested yet. */
  #isDue = false;
  /** The item is loaded, but not started: its view is not counted yet. */
  #isUnbegun = false;
  readonly #playbackError: PlaybackError;

  constructor(
    elements: readonly [HTMLAudioElement, HTMLAudioElement],
    private readonly api: Api,
    progressStore: Pick<ProgressStore, 'note' | 'settle' | 'resume' | 'of'>,
    kept: Pick<SavedQueue, 'get' | 'set'>,
    order: Pick<SavedOrder, 'get' | 'set'>,
    now: () => number = Date.now,
    outside: Outside | null = null,
  ) {
    super(elements, api, progressStore, kept, order, now, outside);
    this.#playbackError = new PlaybackError(api, {
      place: () => `${this.file?.id} ${Math.round(this.time)}`,
      isWanted: () => this.wanted,
      onbroke: () => {
        this.waiting = true;
        progressStore.settle();
      },
      onstop: () => {
        this.#stopped();
        this.waiting = false;
        progressStore.settle();
      },
      retry: () => this.retry(),
      fallBack: () => this.#pair.reject(this.file, () => this.retry()),
    });
    this.#pair = new SoundPair(elements, (change) => this.#playbackError.report(change));
    this.#pair.on('timeupdate', () => this.#tick());
    this.#pair.on('durationchange', () => this.measure(this.#pair.element.duration));
    this.#pair.on('play', () => {
      this.playing = true;
      this.sleep.run(true);
    });
    this.#pair.on('pause', () => this.#paused());
    this.#pair.on('loadedmetadata', () => this.#begin());
    this.#pair.on('waiting', () => (this.waiting = true));
    for (const type of ['playing', 'canplay']) this.#pair.on(type, () => (this.waiting = false));
    this.#pair.onEnd(() => this.#ended());
  }

  get trouble(): Trouble | null {
    return this.#playbackError.trouble;
  }

  /** Plays a file from `from` seconds, or from its saved position. */
  play(item: Item, file: MediaFile, from?: number): void {
    this.takeTurn();
    if (this.item?.id === item.id && this.trouble === null && !this.alone) {
      const index = this.queue.findIndex((one) => one.id === file.id);
      const to = from ?? this.progressStore.resume(file);
      // Another device can have continued since the pause.
      const isElsewhere = !this.playing && Math.abs(to - this.time) > 2;
      // In a shuffled album, the chosen track starts a new order.
      const isThere = index >= 0 && (index === this.index || this.order.seed === null || this.whole);
      if (isThere && (index !== this.index || from !== undefined || isElsewhere)) this.go(index, to);
      if (isThere) return this.resume();
    }
    const files = queueFor(item, file);
    this.sleep.off();
    this.persistence.replace();
    this.wanted = true;
    this.isFollowing = false;
    const opening = {
      files,
      index: Math.max(0, files.indexOf(file)),
      from: from ?? this.progressStore.resume(file),
    };
    this.enter(item, this.arranged(opening, isWhole(item)));
  }

  protected get isAtEnd(): boolean {
    return this.#pair.element.ended;
  }

  protected get hasEnded(): boolean {
    return this.isAtEnd && !this.#isDue;
  }

  /** Closes the player. */
  close(): void {
    this.persistence.end();
    this.server?.close();
    this.#leave();
    this.#playbackError.clear();
    this.scrubbing.clear();
    this.#pair.end();
    this.empty();
    this.isClosed = true;
  }

  toggle(): void {
    if (this.#isOn()) this.pause();
    else this.resume();
  }

  /** Reads the element: the state follows its events, which arrive after a quick second press. */
  #isOn(): boolean {
    const fails = this.trouble !== null && this.trouble !== 'silence';
    return !fails && !this.#pair.element.paused;
  }

  resume(): void {
    this.wanted = true;
    this.#pair.touch();
    if (this.trouble !== null || this.#isDue) this.retry();
    else this.#sound();
  }

  pause(): void {
    this.wanted = false;
    this.#pair.element.pause();
  }

  /** Retries after an error, at the same position. */
  retry(): void {
    this.#load(this.#start ?? this.time);
  }

  /** Goes to the next chapter or part. */
  next(): void {
    const mark = this.timeline.marks[this.mark + 1];
    if (mark) this.go(mark.index, mark.from);
    else this.#followOn();
  }

  /** Skips a file that does not play. */
  skipFile(): void {
    this.wanted = true;
    this.#followOn();
  }

  /** Seeks in a file of the queue. */
  go(index: number, seconds: number): void {
    if (index !== this.index) {
      this.#leave();
      this.index = index;
      this.#load(seconds);
    } else if (this.#start !== null) {
      this.#start = seconds;
      this.time = seconds;
    } else {
      this.#pair.element.currentTime = seconds;
      this.time = seconds;
      this.#note();
    }
    this.sleep.follow(this.mark);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.keepSpeed();
    this.#applySettings();
  }

  setVolume(volume: number): void {
    this.settings.change({ volume, muted: false });
    this.#applySettings();
  }

  mute(): void {
    this.settings.change({ muted: !this.settings.value.muted });
    this.#applySettings();
  }

  /** Plays the next file of the item, otherwise the next queue entry, or the item again; false without any. */
  #followOn(): boolean {
    if (this.index >= this.queue.length - 1) return this.continue() || this.#again(0);
    this.go(this.index + 1, 0);
    return true;
  }

  /** Repeats the item from one of its files. */
  #again(index: number): boolean {
    if (this.repeat === 'off') return false;
    this.#leave();
    this.index = index;
    this.#load(0);
    return true;
  }

  protected enter(
    item: Item,
    { files, index, from }: Opening,
    { alone = false, isUnbegun = this.#isUnbegun || this.item?.id !== item.id, isAsked = true } = {},
  ): void {
    this.#leave();
    this.#isUnbegun = isUnbegun;
    this.item = item;
    this.queue = files;
    this.index = index;
    this.order.begin(files[0]);
    this.alone = alone && item.files.length > 1;
    this.clearLengths();
    this.persistence.deferRestore();
    this.speed = this.ownSpeed;
    if (isAsked) return this.#load(from);
    // Load at the first playback: some browsers load nothing before, and the user may not play it.
    this.#isDue = true;
    this.#start = from;
    this.time = from;
    this.keep();
  }

  protected keep(): void {
    if (this.isClosed) return;
    const { item, file, alone } = this;
    const unbegun = this.#isUnbegun ? { unbegun: true } : {};
    this.persistence.keep(item && file ? { item: item.id, file: file.id, alone, ...unbegun } : null);
    this.server?.changed();
  }

  #load(start: number): void {
    const { file } = this;
    if (!file) return;
    this.#isDue = false;
    this.keep();
    this.beginGain();
    this.#playbackError.clear();
    this.scrubbing.clear();
    this.waiting = false;
    this.#start = start;
    this.time = start;
    if (this.isFilm) return this.#openFilm(start);
    const ready = this.#pair.putFile(file, start);
    this.#applySettings();
    const { element } = this.#pair;
    this.#playbackError.watch(element, SOUND, file.content_url, ready || this.#pair.decodes(file));
    if (ready) this.#begin();
    if (this.wanted) this.#sound();
  }

  /** A film of the queue plays on its own page, and `filmEnded` continues the queue. */
  #openFilm(start: number): void {
    const { item, file } = this;
    this.#pair.element.pause();
    this.#isDue = true;
    if (!this.wanted || !item || !file) return;
    this.wanted = false;
    this.#isUnbegun = false;
    this.outside?.openFilm(item, file, start);
  }

  /** The page of a film reports its position, in seconds. */
  watched({ id }: Pick<MediaFile, 'id'>, seconds: number): void {
    if (!this.isFilm || this.file?.id !== id) return;
    this.#start = seconds;
    this.time = seconds;
    this.server?.moved();
  }

  /** Continues after a film has ended; false if the queue does not contain it, or has nothing else. */
  filmEnded({ id }: Pick<MediaFile, 'id'>): boolean {
    if (!this.isFilm || this.file?.id !== id || !this.hasMore) return false;
    this.wanted = true;
    return this.repeat === 'one' ? this.#again(this.index) : this.#followOn();
  }

  #sound(): void {
    this.#count();
    // Unsupported codecs arrive as `error`. If autoplay is blocked, the button still shows “Play”.
    void this.#pair.element.play().catch(() => {});
  }

  /** Counts one view per playback. An item that is loaded but not started does not count. */
  #count(): void {
    const { item } = this;
    if (!item || !this.#isUnbegun) return;
    this.#isUnbegun = false;
    this.keep();
    // The user did not request the view count: ignore its failure.
    void this.api.countView(item.id).catch(() => {});
  }

  #applySettings(): void {
    this.applyTo(this.#pair.element);
  }

  #begin(): void {
    const { element } = this.#pair;
    this.measure(element.duration);
    const start = this.#start ?? 0;
    this.#start = null;
    if (start > 0 || element.currentTime > 0) element.currentTime = start;
    this.#tick();
  }

  #tick(): void {
    const { element } = this.#pair;
    if (this.#start !== null || element.seeking) return;
    const before = this.sleep.mark;
    this.time = element.currentTime;
    if (element.ended) return;
    if (this.sleep.tick()) this.pause();
    this.#applySettings();
    if (before !== null && this.mark > before) return this.#pauseForSleep();
    if (this.time >= 1) this.#note();
    this.#lookAhead();
  }

  /** Pauses at the end of the chapter, at the start of the next one. */
  #pauseForSleep(): void {
    this.sleep.off();
    this.pause();
    const mark = this.timeline.marks[this.mark];
    if (mark && mark.index === this.index) this.go(mark.index, mark.from);
  }

  #lookAhead(): void {
    const left = (this.measuredLength ?? Number.POSITIVE_INFINITY) - this.time;
    const isNear = left / this.speed < AHEAD;
    const { following } = this;
    const isSound = following !== undefined && viewerTraits(following.viewer).background === true;
    this.#pair.prepareFile(isNear && isSound ? following : undefined);
    if (isNear) this.requestGains(this.upcoming.first?.item);
  }

  #paused(): void {
    // At its end a file pauses. If another follows, playback is not paused.
    if (this.#pair.element.ended && this.hasMore) return;
    this.#stopped();
    this.progressStore.settle();
    this.server?.changed();
  }

  #stopped(): void {
    this.playing = false;
    this.sleep.run(false);
  }

  #note(): void {
    if (this.item && this.file) this.progressStore.note(this.item, this.file, { position: this.time });
    this.server?.moved();
  }

  /** Leaves the file: its position is saved now. */
  #leave(): void {
    if (this.file) this.progressStore.settle();
  }

  #ended(): void {
    if (this.item && this.file) {
      const position = this.file.extent ?? this.time;
      this.progressStore.note(this.item, this.file, { position, finished: true });
    }
    const isLast = this.index === this.queue.length - 1;
    const { mark } = this.sleep;
    // A chapter can continue in the next file, but not in the next item.
    const sleeps = mark !== null && (isLast || markAt(this.timeline, this.index + 1, 0) !== mark);
    if (sleeps || !this.hasMore) {
      this.sleep.off();
      this.wanted = false;
      this.#stopped();
    }
    const goesOn = this.repeat === 'one' ? this.#again(this.index) : this.#followOn();
    if (!goesOn) this.standStill();
  }

  protected standStill(): void {
    this.wanted = false;
    this.#stopped();
    this.progressStore.settle();
  }
}
