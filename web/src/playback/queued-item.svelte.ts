/** The queue of the player: it is extended, restored, saved on the server, and continued from entry to entry. */
import { Unreachable, type ApiClient } from '../api/client';
import type { Item, MediaFile } from '../api/models';
import { playedFiles } from '../catalogue/audio-files';
import { viewerTraits } from '../catalogue/viewer-ids';
import type { ProgressStore } from '../progress/progress-store.svelte';
import { OrderedItem } from './ordered-item.svelte';
import { shuffled } from './queue/order.svelte';
import { QueuePersistence } from './queue/persist';
import { loadFirst, openingAt, QueueLoader, type RestoredEntry } from './queue/resume';
import type { SavedOrder } from './queue/saved-order';
import type { SavedEntry, SavedQueue } from './queue/saved-queue';
import { savedEntriesOf, snapshotOf } from './queue/server-entries';
import { ServerQueue, type Api as QueueApi, type Snapshot, type Store } from './queue/server-queue.svelte';
import type { Opening } from './queue/upcoming.svelte';
import { isWhole } from './timeline';

type Api = Pick<ApiClient, 'item' | 'gains'>;

/** The parts of the page that the queue needs. */
export interface Outside {
  queue: QueueApi;
  store: Store;
  /** Opens the page of a film of the queue, at a position in seconds. */
  openFilm(item: Item, file: MediaFile, from: number): void;
}

interface Entering {
  alone?: boolean;
  isUnbegun?: boolean;
  /** False for an item that is only loaded. */
  isAsked?: boolean;
}

interface Continuing {
  /** The entry to play; the first one without it. */
  key?: number | undefined;
  isAsked?: boolean;
  /** False if nothing else was playing. */
  isFollowing?: boolean;
}

export abstract class QueuedItem extends OrderedItem {
  /** The queue on the server; null without one. */
  readonly server: ServerQueue | null;
  /** True if playback should start as soon as possible. */
  protected wanted = false;
  /** The player was closed; later events are ignored. */
  protected isClosed = false;
  protected readonly persistence: QueuePersistence;
  readonly #loader: QueueLoader;
  /** The latest request to play something else. */
  #latest: object | null = null;

  constructor(
    elements: readonly HTMLAudioElement[],
    protected readonly itemApi: Api,
    progressStore: Pick<ProgressStore, 'note' | 'settle' | 'resume' | 'of'>,
    kept: Pick<SavedQueue, 'get' | 'set'>,
    order: Pick<SavedOrder, 'get' | 'set'>,
    now: () => number,
    protected readonly outside: Outside | null,
  ) {
    super(elements, itemApi, progressStore, order, now);
    this.persistence = new QueuePersistence(itemApi, kept, this.upcoming);
    this.#loader = new QueueLoader(itemApi, this.upcoming);
    this.server = outside && new ServerQueue(outside.queue, outside.store, () => this.snapshot());
  }

  /** Replaces the current item. */
  protected abstract enter(item: Item, opening: Opening, entering?: Entering): void;
  /** Ends the queue. */
  protected abstract standStill(): void;
  /** Saves the current and the upcoming entries for a reload of the page. */
  protected abstract keep(): void;
  /** True if the element reached the end of its file. */
  protected abstract get isAtEnd(): boolean;
  /** True if the current file reached its end, and is not still to be loaded. */
  protected abstract get hasEnded(): boolean;

  protected queueChanged(): void {
    this.keep();
    this.#loader.refill();
  }

  /** The files to play, from the first one of the current item; null while the saved queue is not restored. */
  snapshot(): Snapshot | null {
    if (!this.item || this.queue.length === 0 || this.persistence.isMissing) return null;
    return snapshotOf(this.queue, this.index, this.time, this.upcoming);
  }

  /** True if the current file is a film, which has a page of its own. */
  get isFilm(): boolean {
    return this.file !== null && !viewerTraits(this.file.viewer).background;
  }

  /**
   * Queues an item, or one file of it, first or last. If nothing is left to play, it starts. If playback is not wanted
   * by then, it is only loaded.
   */
  add(item: Item, file: MediaFile | null, next: boolean, isWanted = (): boolean => true): void {
    const act = () => this.#add(item, file, next, isWanted);
    // Saved entries come first, and can be all that plays. Retry those that did not load.
    if (this.persistence.coming || this.persistence.isMissing) void this.restore().then(act);
    else act();
  }

  #add(item: Item, file: MediaFile | null, next: boolean, isWanted: () => boolean): void {
    if (this.isClosed) return;
    const isOver = this.item === null || (this.hasEnded && this.index === this.queue.length - 1);
    const isFirst = this.upcoming.length === 0;
    this.upcoming.add(item, file, next);
    if (!isOver || !isFirst) return;
    if (isWanted()) this.wanted = true;
    this.continue({ isAsked: isWanted(), isFollowing: false });
  }

  /** Queues one file of an item by its id. */
  async addFile(item: number, file: number, next: boolean, isWanted = (): boolean => true): Promise<void> {
    const found = await this.itemApi.item(item);
    const one = playedFiles(found).find(({ id }) => id === file);
    if (one) this.add(found, one, next, isWanted);
  }

  /** Fetches more of a long queue, for the open list. */
  more(): Promise<void> {
    return this.#loader.more();
  }

  /** Begins a request to play something else. The result is false after a later one, or after the end of the player. */
  takeTurn(): () => boolean {
    const call = (this.#latest = {});
    return () => call === this.#latest && !this.isClosed;
  }

  /** Plays an entry of the queue now, by default the first. The others stay. */
  playEntry(key?: number): void {
    this.takeTurn();
    this.wanted = true;
    this.continue({ key });
  }

  /** Replaces the queue, and plays it. Resolves to false if nothing of it can be played. */
  async playAll(all: readonly SavedEntry[], isShuffled: boolean): Promise<boolean> {
    const seed = isShuffled ? this.order.draw() : null;
    const placed = all.map((one, place) => ({ ...one, place }));
    const list = seed === null ? all : shuffled(placed, seed, ({ place }) => place);
    const opening = (first: RestoredEntry) => {
      if (!this.openingOf(first)) return null;
      this.order.shuffle(seed);
      return this.openingOf(first);
    };
    return this.#replace(list, opening, this.takeTurn());
  }

  /** Continues with the queue of the server, at its position. Resolves to false if nothing of it can be played. */
  async takeServerQueue(): Promise<boolean> {
    if (!this.server) return false;
    const isLatest = this.takeTurn();
    const { queue, entries } = await this.server.read();
    const { current, position, version } = queue;
    if (current === null) return false;
    const list = savedEntriesOf(entries, current);
    const opening = (first: RestoredEntry) => {
      if (first.ids !== list[0]) return this.openingOf(first);
      const files = first.file ? [first.file] : [...first.heard];
      const index = files.findIndex(({ id }) => id === entries[current]?.file_id);
      return { files, index: Math.max(0, index), from: index < 0 ? 0 : position };
    };
    const isTaken = await this.#replace(list, opening, isLatest);
    if (isTaken && isLatest())
      this.server.adopt({ files: entries.map((one) => one.file_id), current, position, version });
    return isTaken;
  }

  async #replace(
    list: readonly SavedEntry[],
    openingFor: (first: RestoredEntry) => Opening | null,
    isLatest: () => boolean,
  ): Promise<boolean> {
    const taken = await loadFirst(this.itemApi, list);
    if (!taken) throw new Unreachable('The items of the queue did not arrive.');
    if (!isLatest()) return true;
    const [first, ...others] = taken.there;
    const opening = first && openingFor(first);
    if (!opening) return false;
    this.persistence.end();
    this.sleep.off();
    this.wanted = true;
    this.isFollowing = false;
    this.upcoming.replace(others, taken.rest);
    this.enter(first.item, opening, { alone: first.file !== null });
    return true;
  }

  /** Restores the saved queue, paused. Items that are no longer visible to the user are dropped. */
  restore(): Promise<void> {
    return this.persistence.restore(
      () => this.item !== null,
      (first, played) => this.#standAt(first, played),
    );
  }

  #standAt(first: RestoredEntry, played: boolean): void {
    const at = played ? openingAt(first, this.progressStore) : null;
    const opening = at && !isWhole(first.item) ? this.order.restore(at) : (at ?? this.openingOf(first));
    this.wanted = false;
    if (!opening) return;
    const isUnbegun = !played || first.ids.unbegun === true;
    this.enter(first.item, opening, { alone: first.file !== null, isUnbegun, isAsked: false });
  }

  /** Starts an entry of the queue. Entries without playable files are skipped. */
  protected continue({ key, isAsked = true, isFollowing = true }: Continuing = {}): boolean {
    for (let entry = this.upcoming.take(key); entry; entry = this.upcoming.take()) {
      const opening = this.openingOf(entry);
      if (!opening) continue;
      this.isFollowing = isFollowing;
      if (this.item && this.repeat === 'all') this.upcoming.repeat(this.item, this.repeated);
      this.enter(entry.item, opening, { alone: entry.file !== null, isAsked });
      this.sleep.follow(this.mark);
      return true;
    }
    return this.#awaitMore();
  }

  /** The single file that the queue repeats; null for the whole item. */
  protected get repeated(): MediaFile | null {
    return this.alone || this.isFilm ? this.file : null;
  }

  /** Waits for the next entry while it is fetched; false if there is none. */
  #awaitMore(): boolean {
    if (this.upcoming.rest.length === 0) return false;
    const { item } = this;
    const isOver = this.isAtEnd;
    void this.#loader.more().then(() => {
      // The user started another item meanwhile, or the player was closed.
      if (this.item !== item || (isOver && !this.isAtEnd)) return;
      if (!this.upcoming.first || !this.continue()) this.standStill();
    });
    return true;
  }
}
