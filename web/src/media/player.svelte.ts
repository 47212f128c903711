/** Sound that plays on while one looks around: a thing's files on one line of time, where in it one is, and what comes after it. */
import type { ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/types';
import type { Places } from '../progress/places.svelte';
import { Habits } from './habits.svelte';
import { Hindrance } from './hindrance.svelte';
import { Keeping } from './keeping';
import type { Kept } from './kept';
import { Pair } from './pair';
import { fileTitle, queueFor } from './queue';
import { Scrub } from './scrub.svelte';
import { Sleep } from './sleep.svelte';
import { openingAt, TakeUp, type Found } from './takeup';
import { isWhole, locate, markAt, nameOf, timelineOf } from './timeline';
import { openingOf, Upcoming, type Opening } from './upcoming.svelte';
import type { Trouble } from './watchdog';

/** Seconds before a file's end at which the next one is fetched. */
const AHEAD = 30;
/** Seconds into a chapter within which “previous” means the one before. */
const EARLY = 4;
/** A cover inside a music file is a video stream to some probes; sound is all that is asked here. */
const SOUND = { vcodec: null, acodec: null };

type Api = Pick<ApiClient, 'probe' | 'countView' | 'item'>;

export class Player {
  item = $state.raw<Item | null>(null);
  /** The files of the item that follow one another. */
  queue = $state.raw<MediaFile[]>([]);
  index = $state(0);
  /** Whether it is one file out of several, queued for itself. */
  alone = $state(false);
  playing = $state(false);
  waiting = $state(false);
  /** Within the file. */
  time = $state(0);
  speed = $state(1);

  readonly upcoming = new Upcoming(() => {
    this.#keep();
    this.#takeUp.refill();
  });
  readonly habits = new Habits();
  readonly sleep: Sleep;
  #lengths = $state.raw<readonly (number | undefined)[]>([]);
  readonly #pair: Pair;
  readonly #takeUp: TakeUp;
  /** Where to begin once the element knows its length; until then it tells nothing of a place. */
  #start: number | null = null;
  /** Whether it is to sound, as soon as it can. */
  #wanted = false;
  /** The file stands in front, but was not asked for yet. */
  #isDue = false;
  /** A thing stands there that nobody has begun: its view is still to be counted. */
  #isUnbegun = false;
  /** It ended for good: what arrives later is nobody's. */
  #isClosed = false;
  readonly #keeping: Keeping;
  readonly #scrub = new Scrub((to) => this.seek(to));
  readonly #hindrance: Hindrance;

  constructor(
    elements: readonly [HTMLAudioElement, HTMLAudioElement],
    private readonly api: Api,
    private readonly places: Pick<Places, 'note' | 'settle' | 'resume' | 'of'>,
    kept: Pick<Kept, 'get' | 'set'>,
    now: () => number = Date.now,
  ) {
    this.sleep = new Sleep(now);
    this.#keeping = new Keeping(api, kept, this.upcoming);
    this.#takeUp = new TakeUp(api, this.upcoming);
    this.#hindrance = new Hindrance(api, {
      place: () => `${this.file?.id} ${Math.round(this.time)}`,
      isWanted: () => this.#wanted,
      onbroke: () => {
        this.waiting = true;
        places.settle();
      },
      onstop: () => {
        this.#stopped();
        this.waiting = false;
        places.settle();
      },
      retry: () => this.retry(),
    });
    this.#pair = new Pair(...elements);
    this.#pair.on('timeupdate', () => this.#tick());
    this.#pair.on('durationchange', () => this.#measure());
    this.#pair.on('play', () => {
      this.playing = true;
      this.sleep.run(true);
    });
    this.#pair.on('pause', () => this.#paused());
    this.#pair.on('loadedmetadata', () => this.#begin());
    this.#pair.on('waiting', () => (this.waiting = true));
    this.#pair.on('playing', () => (this.waiting = false));
    this.#pair.on('canplay', () => (this.waiting = false));
    this.#pair.on('ended', () => this.#ended());
  }

  readonly #whole = $derived(this.item !== null && isWhole(this.item));
  readonly timeline = $derived(timelineOf(this.queue, this.#whole, this.#lengths));
  /** The chapter or track that runs; -1 where there is none. */
  readonly mark = $derived(markAt(this.timeline, this.index, this.time));
  /** Place and length of the line that is shown: the whole of a book, else the file. */
  readonly at = $derived(
    this.#scrub.at ?? (this.#whole ? (this.timeline.starts[this.index] ?? 0) : 0) + this.time,
  );
  readonly length = $derived(
    this.#whole ? this.timeline.length : (this.#lengths[this.index] ?? this.file?.duration ?? 0),
  );
  /** Whether another file follows, of this thing or of what is queued. */
  readonly hasMore = $derived(this.index < this.queue.length - 1 || this.upcoming.length > 0);
  readonly hasNext = $derived(this.mark < this.timeline.marks.length - 1 || this.hasMore);

  get trouble(): Trouble | null {
    return this.#hindrance.trouble;
  }

  get whole(): boolean {
    return this.#whole;
  }

  get file(): MediaFile | null {
    return this.queue[this.index] ?? null;
  }

  /** What runs, in a line: the chapter, the track, or the only thing there is. */
  get heading(): string {
    const mark = this.timeline.marks[this.mark];
    if (mark) return nameOf(mark, this.mark);
    return (this.queue.length > 1 || this.alone) && this.file
      ? fileTitle(this.file)
      : (this.item?.title ?? '');
  }

  /** Plays a file from `from` seconds, or from where it was left. */
  play(item: Item, file: MediaFile, from?: number): void {
    if (this.item?.id === item.id && this.trouble === null && !this.alone) {
      const index = this.queue.findIndex((one) => one.id === file.id);
      const to = from ?? this.places.resume(file);
      // It may have gone on elsewhere since it was paused here.
      const isElsewhere = !this.playing && Math.abs(to - this.time) > 2;
      if (index >= 0 && (index !== this.index || from !== undefined || isElsewhere)) this.go(index, to);
      if (index >= 0) return this.resume();
    }
    const queue = queueFor(item, file);
    this.sleep.off();
    this.#keeping.replace();
    this.#wanted = true;
    this.#enter(item, {
      files: queue,
      index: Math.max(0, queue.indexOf(file)),
      from: from ?? this.places.resume(file),
    });
  }

  /**
   * Queues a thing, or one file of it, to come first or last. Where nothing is left to play, it begins, or stands
   * there where sound is not wanted by then.
   */
  add(item: Item, file: MediaFile | null, next: boolean, isWanted = (): boolean => true): void {
    const act = () => this.#add(item, file, next, isWanted);
    // What was kept comes first, and may be all that plays; what did not come is asked for once more.
    if (this.#keeping.coming || this.#keeping.isMissing) void this.restore().then(act);
    else act();
  }

  #add(item: Item, file: MediaFile | null, next: boolean, isWanted: () => boolean): void {
    if (this.#isClosed) return;
    const isOver = this.item === null || (this.#hasEnded && this.index === this.queue.length - 1);
    const isFirst = this.upcoming.length === 0;
    this.upcoming.add(item, file, next);
    if (!isOver || !isFirst) return;
    if (isWanted()) this.playEntry();
    else this.#goOn({ isAsked: false });
  }

  /** What stands there is heard to its end, and not still to be fetched. */
  get #hasEnded(): boolean {
    return this.#pair.element.ended && !this.#isDue;
  }

  /** Fetches more of a long queue, for somebody who looks at it. */
  more(): Promise<void> {
    return this.#takeUp.more();
  }

  /** Plays an entry of the queue now, the first where none is named; the others stay as they are. */
  playEntry(key?: number): void {
    this.#wanted = true;
    this.#goOn({ key });
  }

  /** Takes up what was kept over a reload, standing still. What is not to be seen any more is left out. */
  restore(): Promise<void> {
    return this.#keeping.restore(
      () => this.item !== null,
      (first, played) => this.#standAt(first, played),
    );
  }

  #standAt(first: Found, played: boolean): void {
    const opening = (played ? openingAt(first, this.places) : null) ?? openingOf(first, this.places);
    this.#wanted = false;
    if (!opening) return;
    const isUnbegun = !played || first.ids.unbegun === true;
    this.#enter(first.item, opening, { alone: first.file !== null, isUnbegun, isAsked: false });
  }

  /** Ends for good. */
  close(): void {
    this.#keeping.end();
    this.#leave();
    this.#hindrance.clear();
    this.#scrub.clear();
    this.#pair.end();
    this.item = null;
    this.queue = [];
    this.upcoming.end();
    this.#isClosed = true;
  }

  toggle(): void {
    if (this.#isOn()) this.pause();
    else this.resume();
  }

  /** By the element: what is shown follows its events, which come later than a quick second press. */
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

  /** Tries again what went wrong, at the same place. */
  retry(): void {
    this.#load(this.#start ?? this.time);
  }

  /** Goes to a place on the line that is shown. */
  seek(to: number): void {
    if (this.#whole) {
      const place = locate(this.timeline, to);
      this.go(place.index, place.seconds);
    } else this.go(this.index, Math.min(Math.max(0, to), this.length || to));
  }

  /** The slider is moved: over another file the place is only shown, until the hand rests or lets go. */
  scrub(to: number): void {
    if (this.#whole && locate(this.timeline, to).index !== this.index) return this.#scrub.show(to);
    this.#scrub.clear();
    this.seek(to);
  }

  /** Goes where the slider was moved to. */
  letGo(): void {
    this.#scrub.letGo();
  }

  skip(seconds: number): void {
    this.seek(this.at + seconds);
  }

  /** The chapter or part after this one. */
  next(): void {
    const mark = this.timeline.marks[this.mark + 1];
    if (mark) this.go(mark.index, mark.from);
    else this.#followOn();
  }

  /** On past a file that does not play. */
  skipFile(): void {
    this.#wanted = true;
    this.#followOn();
  }

  /** The start of this chapter or, where it has hardly begun, the one before. */
  previous(): void {
    const { marks } = this.timeline;
    const here = marks[this.mark];
    const into = here ? this.time - (here.index === this.index ? here.from : 0) : this.time;
    const target = into > EARLY ? here : (marks[this.mark - 1] ?? here);
    this.go(target?.index ?? this.index, target?.from ?? 0);
  }

  /** Goes to a place in a file of the queue. */
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
    if (this.#whole) this.habits.change({ speed });
    this.#tune();
  }

  setVolume(volume: number): void {
    this.habits.change({ volume, muted: false });
    this.#tune();
  }

  mute(): void {
    this.habits.change({ muted: !this.habits.value.muted });
    this.#tune();
  }

  /** The next file of this thing, else the next thing in the queue; false where neither is. */
  #followOn(): boolean {
    if (this.index >= this.queue.length - 1) return this.#goOn();
    this.go(this.index + 1, 0);
    return true;
  }

  /** Begins an entry of the queue; what no longer has anything to play is passed over. */
  #goOn({ key, isAsked = true }: { key?: number | undefined; isAsked?: boolean } = {}): boolean {
    for (let entry = this.upcoming.take(key); entry; entry = this.upcoming.take()) {
      const opening = openingOf(entry, this.places);
      if (!opening) continue;
      this.#enter(entry.item, opening, { alone: entry.file !== null, isAsked });
      this.sleep.follow(this.mark);
      return true;
    }
    return this.#awaitMore();
  }

  /** What comes next is still to be fetched, which a server that is slow or away holds up; false where nothing comes. */
  #awaitMore(): boolean {
    if (this.upcoming.rest.length === 0) return false;
    const { item } = this;
    const isOver = this.#pair.element.ended;
    void this.#takeUp.more().then(() => {
      // Whoever was quicker plays something else by now, or what was over once more.
      if (this.item !== item || (isOver && !this.#pair.element.ended)) return;
      if (!this.upcoming.first || !this.#goOn()) this.#standStill();
    });
    return true;
  }

  /** Another thing is the one that plays. */
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
    this.alone = alone && item.files.length > 1;
    this.#lengths = [];
    this.#keeping.putOff();
    this.speed = this.#whole ? this.habits.value.speed : 1;
    if (isAsked) return this.#load(from);
    // Fetched when somebody wants to hear it: some browsers fetch nothing before, and nobody may want to.
    this.#isDue = true;
    this.#start = from;
    this.time = from;
    this.#keep();
  }

  /** Keeps what plays and what is to come, for a reload of the page. */
  #keep(): void {
    if (this.#isClosed) return;
    const { item, file, alone } = this;
    const unbegun = this.#isUnbegun ? { unbegun: true } : {};
    this.#keeping.keep(item && file ? { item: item.id, file: file.id, alone, ...unbegun } : null);
  }

  #load(start: number): void {
    const { file } = this;
    if (!file) return;
    this.#isDue = false;
    this.#keep();
    this.#hindrance.clear();
    this.#scrub.clear();
    this.waiting = false;
    this.#start = start;
    this.time = start;
    const ready = this.#pair.put(file.content_url);
    this.#tune();
    this.#hindrance.watch(this.#pair.element, SOUND, file.content_url, ready);
    if (ready) this.#begin();
    if (this.#wanted) this.#sound();
  }

  #sound(): void {
    this.#count();
    // Refused codecs arrive as `error`; where sound may not begin by itself, the button still says “Play”.
    void this.#pair.element.play().catch(() => {});
  }

  /** Counts a view of what begins, once: where one only stands at a thing, asleep, it was not begun. */
  #count(): void {
    const { item } = this;
    if (!item || !this.#isUnbegun) return;
    this.#isUnbegun = false;
    this.#keep();
    // A view counts nothing that the listener asked for: its failure is not theirs.
    void this.api.countView(item.id).catch(() => {});
  }

  #tune(): void {
    const { element } = this.#pair;
    const { volume, muted } = this.habits.value;
    element.defaultPlaybackRate = this.speed;
    element.playbackRate = this.speed;
    element.volume = volume * this.sleep.fade;
    element.muted = muted;
  }

  #measure(): void {
    const { duration } = this.#pair.element;
    if (!Number.isFinite(duration) || duration <= 0) return;
    if (this.#lengths[this.index] === duration) return;
    const lengths = [...this.#lengths];
    lengths[this.index] = duration;
    this.#lengths = lengths;
  }

  #begin(): void {
    const { element } = this.#pair;
    this.#measure();
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
    this.#tune();
    if (before !== null && this.mark > before) return this.#fallAsleep();
    if (this.time >= 1) this.#note();
    this.#lookAhead();
  }

  /** The chapter is over: it stands still where the next one begins. */
  #fallAsleep(): void {
    this.sleep.off();
    this.pause();
    const mark = this.timeline.marks[this.mark];
    if (mark && mark.index === this.index) this.go(mark.index, mark.from);
  }

  #lookAhead(): void {
    const left = (this.#lengths[this.index] ?? Number.POSITIVE_INFINITY) - this.time;
    const isNear = left / this.speed < AHEAD;
    const next = isNear ? (this.queue[this.index + 1] ?? this.#opener()) : undefined;
    if (next) this.#pair.prepare(next.content_url);
    else this.#pair.unprepare();
  }

  /** The file that the queue begins with. */
  #opener(): MediaFile | undefined {
    const { first } = this.upcoming;
    const opening = first && openingOf(first, this.places);
    return opening?.files[opening.index];
  }

  #paused(): void {
    // At its end a file pauses; where another follows, nothing stands still.
    if (this.#pair.element.ended && this.hasMore) return;
    this.#stopped();
    this.places.settle();
  }

  #stopped(): void {
    this.playing = false;
    this.sleep.run(false);
  }

  #note(): void {
    if (this.item && this.file) this.places.note(this.item, this.file, { position: this.time });
  }

  /** Another file comes, or none: the place in this one counts now. */
  #leave(): void {
    if (this.file) this.places.settle();
  }

  #ended(): void {
    if (this.item && this.file) {
      const position = this.file.extent ?? this.time;
      this.places.note(this.item, this.file, { position, finished: true });
    }
    const isLast = this.index === this.queue.length - 1;
    const { mark } = this.sleep;
    // A chapter may run on in the next file, but not in the next thing.
    const sleeps = mark !== null && (isLast || markAt(this.timeline, this.index + 1, 0) !== mark);
    if (sleeps || !this.hasMore) {
      this.sleep.off();
      this.#wanted = false;
      this.#stopped();
    }
    if (!this.#followOn()) this.#standStill();
  }

  /** Nothing follows. */
  #standStill(): void {
    this.#wanted = false;
    this.#stopped();
    this.places.settle();
  }
}
