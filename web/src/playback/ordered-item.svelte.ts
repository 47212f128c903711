/** The item in the player and the queue, in the order that the user chose. */
import type { ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/models';
import { queueFor } from '../catalogue/file-order';
import type { ProgressStore } from '../progress/progress-store.svelte';
import { CurrentItem } from './current-item.svelte';
import { PlayOrder } from './queue/order.svelte';
import type { Repeat, SavedOrder } from './queue/saved-order';
import { openingOf, UpcomingQueue, type Entry, type Opening } from './queue/upcoming.svelte';
import { PlaybackSettings } from './settings.svelte';
import { SleepTimer } from './sleep-timer.svelte';
import { Equalizer } from './sound/equalizer';
import { FileGains } from './sound/file-gains.svelte';
import { gainOf, UNCHANGED, wantsTrackGain, withFileGain } from './sound/gain';
import { areLong, Speeds } from './sound/speeds';
import { isWhole } from './timeline';

export abstract class OrderedItem extends CurrentItem {
  readonly upcoming = new UpcomingQueue(() => this.queueChanged());
  readonly settings = new PlaybackSettings();
  readonly order: PlayOrder;
  readonly sleep: SleepTimer;
  /** The item was started by the queue, after another one. */
  protected isFollowing = false;
  /** The item is one of several that play one after another. Fixed at the start of a file: no jump in the middle. */
  #isOneOfMany = $state(false);
  readonly #gains: FileGains;
  readonly #speeds = new Speeds();
  readonly #equalizer: Equalizer;

  constructor(
    elements: readonly HTMLAudioElement[],
    api: Pick<ApiClient, 'gains'>,
    protected readonly progressStore: Pick<ProgressStore, 'note' | 'settle' | 'resume' | 'of'>,
    order: Pick<SavedOrder, 'get' | 'set'>,
    now: () => number,
  ) {
    super();
    this.sleep = new SleepTimer(now);
    this.#gains = new FileGains(api, now);
    this.order = new PlayOrder(order);
    this.#equalizer = new Equalizer(elements);
  }

  /** Called after each change of the queue. */
  protected abstract queueChanged(): void;

  /** The repetition that applies: a long work is not repeated. */
  readonly repeat = $derived.by((): Repeat => (this.whole ? 'off' : this.order.repeat));
  /** True if another file of this item or of the queue follows. */
  readonly hasMore = $derived.by(
    () => this.repeat !== 'off' || this.index < this.queue.length - 1 || this.upcoming.length > 0,
  );
  readonly hasNext = $derived(this.mark < this.timeline.marks.length - 1 || this.hasMore);
  /** True if there is an order that can change: that of tracks, or of the queue. */
  readonly hasOrder = $derived(!this.whole || this.upcoming.length > 0);

  /** True while the files of one work play in their order. */
  readonly #isInOrder = $derived.by(() => {
    const isAlbum = this.order.seed === null && !this.#isOneOfMany && (this.item?.files.length ?? 0) > 1;
    return !this.alone && (this.whole || isAlbum);
  });
  /** The gain of the current file. */
  readonly #gain = $derived.by(() => {
    const { item, file } = this;
    if (!item || !file) return UNCHANGED;
    const facts = withFileGain(item.facts, this.#gains.of(item.id, file.id));
    return gainOf(facts, this.settings.value.gain, this.#isInOrder);
  });

  /** Shuffles the tracks and the queue after the current file, or restores their original order. */
  shuffle(): void {
    const { item, file } = this;
    this.order.shuffle(this.order.seed === null ? this.order.draw() : null);
    if (item && file && !this.whole && !this.alone) {
      const files = queueFor(item, file);
      const { files: queue, index } = this.arranged({ files, index: files.indexOf(file), from: 0 });
      this.queue = queue;
      this.index = index;
      this.order.begin(queue[0]);
    }
    this.upcoming.shuffle(this.order.seed);
    this.sleep.follow(this.mark);
  }

  /** Prepares the gain of a file that starts. */
  protected beginGain(): void {
    this.#isOneOfMany = this.isFollowing || this.upcoming.length > 0;
  }

  /** Requests the gains of the files of an album, if they apply. Others have them in their facts. */
  protected requestGains(item: Item | null | undefined): void {
    const isWanted = wantsTrackGain(this.settings.value.gain, this.#isInOrder);
    if (item && item.files.length > 1 && isWanted) this.#gains.request(item.id);
  }

  /** Applies volume, speed and equalizer to the active element. */
  protected applyTo(element: HTMLAudioElement): void {
    this.requestGains(this.item);
    this.settings.apply(element, this.speed, this.sleep.fade, this.#gain);
    this.#equalizer.apply(this.settings.value.equalizer);
  }

  /** Drops the item and the queue, because the player is closed. */
  protected empty(): void {
    this.#equalizer.close();
    this.item = null;
    this.queue = [];
    this.upcoming.end();
  }

  /** Returns an opening in play order. A long work keeps its own. */
  protected arranged(opening: Opening, whole = this.whole): Opening {
    return whole ? opening : this.order.arrange(opening);
  }

  /** Returns the files of a queue entry in play order; null if none is playable. */
  protected openingOf(entry: Pick<Entry, 'item' | 'file'>): Opening | null {
    const opening = openingOf(entry, this.progressStore);
    return opening && this.arranged(opening, isWhole(entry.item));
  }

  /** The file that plays after the current one, as far as it is known. */
  protected get following(): MediaFile | undefined {
    if (this.repeat === 'one') return this.file ?? undefined;
    const next = this.queue[this.index + 1] ?? this.#opener();
    return next ?? (this.repeat === 'all' && this.upcoming.length === 0 ? this.queue[0] : undefined);
  }

  /** The file that starts the queue. */
  #opener(): MediaFile | undefined {
    const { first } = this.upcoming;
    const opening = first && this.openingOf(first);
    return opening?.files[opening.index];
  }

  /** The initial speed of the item: long works remember theirs. */
  protected get ownSpeed(): number {
    if (!this.item || !this.#isLong) return 1;
    return this.#speeds.of(this.item.id) ?? (this.whole ? this.settings.value.speed : 1);
  }

  /** Remembers the speed of a long work. New books begin with the latest speed of another one. */
  protected keepSpeed(): void {
    if (!this.item || !this.#isLong) return;
    this.#speeds.keep(this.item.id, this.speed);
    if (this.whole) this.settings.change({ speed: this.speed });
  }

  get #isLong(): boolean {
    return this.whole || areLong(this.queue);
  }
}
