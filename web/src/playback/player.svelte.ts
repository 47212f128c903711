/**
 * The audio player, which continues across pages: the files of an item on one timeline, the position, and the queue.
 */
import type { ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/models';
import type { ProgressStore } from '../progress/progress-store.svelte';
import { OrderedItem } from './ordered-item.svelte';
import { PlaybackError } from './playback-error.svelte';
import { QueuePersistence } from './queue/persist';
import type { SavedOrder } from './queue/saved-order';
import type { SavedQueue } from './queue/saved-queue';
import { SoundPair } from './elements/sound-pair';
import { queueFor } from '../catalogue/file-order';
import { openingAt, QueueLoader, type RestoredEntry } from './queue/resume';
import { isWhole, markAt } from './timeline';
import type { Opening } from './queue/upcoming.svelte';
import type { Trouble } from './watchdog';

/** Seconds before the end of a file at which the next one is preloaded. */
const AHEAD = 30;
/** Ignores video codecs: an embedded cover is a video stream to some probes. */
const SOUND = { vcodec: null, acodec: null };

type Api = Pick<ApiClient, 'probe' | 'countView' | 'item'>;

export class Player extends OrderedItem {
  playing = $state(false);
  waiting = $state(false);
  readonly #pair: SoundPair;
  readonly #loader: QueueLoader;
  /** Start position, until the element knows its length. Until then it reports no position. */
  #start: number | null = null;
  /** True if playback should start as soon as possible. */
  #wanted = false;
  /** The file is active, but not requested yet. */
  #isDue = false;
  /** The item is loaded, but not started: its view is not counted yet. */
  #isUnbegun = false;
  /** The player was closed; later events are ignored. */
  #isClosed = false;
  readonly #persistence: QueuePersistence;
  readonly #playbackError: PlaybackError;

  constructor(
    elements: readonly [HTMLAudioElement, HTMLAudioElement],
    private readonly api: Api,
    progressStore: Pick<ProgressStore, 'note' | 'settle' | 'resume' | 'of'>,
    kept: Pick<SavedQueue, 'get' | 'set'>,
    order: Pick<SavedOrder, 'get' | 'set'>,
    now: () => number = Date.now,
  ) {
    super(elements, progressStore, order, now);
    this.#persistence = new QueuePersistence(api, kept, this.upcoming);
    this.#loader = new QueueLoader(api, this.upcoming);
    this.#playbackError = new PlaybackError(api, {
      place: () => `${this.file?.id} ${Math.round(this.time)}`,
      isWanted: () => this.#wanted,
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

  protected queueChanged(): void {
    this.#keep();
    this.#loader.refill();
  }

  get trouble(): Trouble | null {
    return this.#playbackError.trouble;
  }

  /** Plays a file from `from` seconds, or from its saved position. */
  play(item: Item, file: MediaFile, from?: number): void {
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
    this.#persistence.replace();
    this.#wanted = true;
    const opening = {
      files,
      index: Math.max(0, files.indexOf(file)),
      from: from ?? this.progressStore.resume(file),
    };
    this.#enter(item, this.arranged(opening, isWhole(item)));
  }

  /**
   * Queues an item, or one file of it, first or last. If nothing is left to play, it starts. If playback is not wanted
   * by then, it is only loaded.
   */
  add(item: Item, file: MediaFile | null, next: boolean, isWanted = (): boolean => true): void {
    const act = () => this.#add(item, file, next, isWanted);
    // Saved entries come first, and can be all that plays. Retry those that did not load.
    if (this.#persistence.coming || this.#persistence.isMissing) void this.restore().then(act);
    else act();
  }

  #add(item: Item, file: MediaFile | null, next: boolean, isWanted: () => boolean): void {
    if (this.#isClosed) return;
    const isOver = this.item === null || (this.#hasEnded && this.index === this.queue.length - 1);
    const isFirst = this.upcoming.length === 0;
    this.upcoming.add(item, file, next);
    if (!isOver || !isFirst) return;
    if (isWanted()) this.playEntry();
    else this.#continue({ isAsked: false });
  }

  /** True if the current file reached its end, and is not still to be loaded. */
  get #hasEnded(): boolean {
    return this.#pair.element.ended && !this.#isDue;
  }

  /** Fetches more of a long queue, for the open list. */
  more(): Promise<void> {
    return this.#loader.more();
  }

  /** Plays an entry of the queue now, by default the first. The others stay. */
  playEntry(key?: number): void {
    this.#wanted = true;
    this.#continue({ key });
  }

  /** Restores the saved queue, paused. Items that are no longer visible to the user are dropped. */
  restore(): Promise<void> {
    return this.#persistence.restore(
      () => this.item !== null,
      (first, played) => this.#standAt(first, played),
    );
  }

  #standAt(first: RestoredEntry, played: boolean): void {
    const at = played ? openingAt(first, this.progressStore) : null;
    const opening = at && !isWhole(first.item) ? this.order.restore(at) : (at ?? this.openingOf(first));
    this.#wanted = false;
    if (!opening) return;
    const isUnbegun = !played || first.ids.unbegun === true;
    this.#enter(first.item, opening, { alone: first.file !== null, isUnbegun, isAsked: false });
  }

  /** Closes the player. */
  close(): void {
    this.#persistence.end();
    this.#leave();
    this.#playbackError.clear();
    this.scrubbing.clear();
    this.#pair.end();
    this.empty();
    this.#isClosed = true;
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
    this.#wanted = true;
    this.#pair.touch();
    if (this.trouble !== null || this.#isDue) this.retry();
    else this.#sound();
  }

  pause(): void {
    this.#wanted = false;
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
    this.#wanted = true;
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
    if (this.index >= this.queue.length - 1) return this.#continue() || this.#again(0);
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

  /** Starts an entry of the queue. Entries without playable files are skipped. */
  #continue({ key, isAsked = true }: { key?: number | undefined; isAsked?: boolean } = {}): boolean {
    for (let entry = this.upcoming.take(key); entry; entry = this.upcoming.take()) {
      const opening = this.openingOf(entry);
      if (!opening) continue;
      if (this.item && this.repeat === 'all') this.upcoming.repeat(this.item, this.alone ? this.file : null);
      this.#enter(entry.item, opening, { alone: entry.file !== null, isAsked });
      this.sleep.follow(this.mark);
      return true;
    }
    return this.#awaitMore();
  }

  /** Waits for the next entry while it is fetched; false if there is none. */
  #awaitMore(): boolean {
    if (this.upcoming.rest.length === 0) return false;
    const { item } = this;
    const isOver = this.#pair.element.ended;
    void this.#loader.more().then(() => {
      // The user started another item meanwhile, or the player was closed.
      if (this.item !== item || (isOver && !this.#pair.element.ended)) return;
      if (!this.upcoming.first || !this.#continue()) this.#standStill();
    });
    return true;
  }

  /** Replaces the current item. */
  #enter(
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
    this.#persistence.deferRestore();
    this.speed = this.ownSpeed;
    if (isAsked) return this.#load(from);
    // Load at the first playback: some browsers load nothing before, and the user may not play it.
    this.#isDue = true;
    this.#start = from;
    this.time = from;
    this.#keep();
  }

  /** Saves the current and the upcoming entries for a reload of the page. */
  #keep(): void {
    if (this.#isClosed) return;
    const { item, file, alone } = this;
    const unbegun = this.#isUnbegun ? { unbegun: true } : {};
    this.#persistence.keep(item && file ? { item: item.id, file: file.id, alone, ...unbegun } : null);
  }

  #load(start: number): void {
    const { file } = this;
    if (!file) return;
    this.#isDue = false;
    this.#keep();
    this.#playbackError.clear();
    this.scrubbing.clear();
    this.waiting = false;
    this.#start = start;
    this.time = start;
    const ready = this.#pair.putFile(file, start);
    this.#applySettings();
    const { element } = this.#pair;
    this.#playbackError.watch(element, SOUND, file.content_url, ready || this.#pair.decodes(file));
    if (ready) this.#begin();
    if (this.#wanted) this.#sound();
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
    this.#keep();
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
    this.#pair.prepareFile(isNear ? this.following : undefined);
  }

  #paused(): void {
    // At its end a file pauses. If another follows, playback is not paused.
    if (this.#pair.element.ended && this.hasMore) return;
    this.#stopped();
    this.progressStore.settle();
  }

  #stopped(): void {
    this.playing = false;
    this.sleep.run(false);
  }

  #note(): void {
    if (this.item && this.file) this.progressStore.note(this.item, this.file, { position: this.time });
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
      this.#wanted = false;
      this.#stopped();
    }
    const goesOn = this.repeat === 'one' ? this.#again(this.index) : this.#followOn();
    if (!goesOn) this.#standStill();
  }

  /** Ends the queue. */
  #standStill(): void {
    this.#wanted = false;
    this.#stopped();
    this.progressStore.settle();
  }
}
