/** The queue: entries after the current item, in an order that the user can change. */
import type { Item, MediaFile } from '../../api/models';
import { upNext } from '../../progress/resume';
import { audioFiles } from '../../catalogue/audio-files';
import type { SavedEntry } from './saved-queue';
import { queueFor } from '../../catalogue/file-order';
import { shuffled } from './order.svelte';

/** A queue entry: a whole item, or one file. */
export interface Entry {
  /** Distinguishes duplicates of an item in the queue. */
  readonly key: number;
  readonly item: Item;
  /** Null for the whole item. */
  readonly file: MediaFile | null;
  /** Place in the original order; undefined while the queue is not shuffled. */
  place?: number;
}

/** The files that an entry plays, and the start in seconds in one of them. */
export interface Opening {
  files: MediaFile[];
  index: number;
  from: number;
  /** True if the item has not been started, or is finished. */
  isFresh?: boolean;
}

type Content = Pick<Entry, 'item' | 'file' | 'place'>;

/** A saved entry whose item exists. */
type Arrived = Content & { readonly ids: SavedEntry };

interface Order {
  readonly entries: readonly Entry[];
  /** Later entries, which are not fetched yet. */
  readonly rest: readonly SavedEntry[];
}

interface Where {
  of: Parameters<typeof upNext>[1];
  resume(file: MediaFile): number;
}

/** Returns the start position of an entry, as the button on its page does: saved position or start. */
export function openingOf(
  { item, file }: Pick<Entry, 'item' | 'file'>,
  progressStore: Where,
): Opening | null {
  if (file) return { files: [file], index: 0, from: progressStore.resume(file) };
  const next = upNext({ ...item, files: audioFiles(item) }, (one) => progressStore.of(one));
  if (!next) return null;
  const files = queueFor(item, next.file);
  const from = next.state === 'started' ? progressStore.resume(next.file) : 0;
  const index = Math.max(0, files.indexOf(next.file));
  return { files, index, from, isFresh: next.state !== 'started' };
}

/** Returns the files of a queue entry. */
export function filesOf({ item, file }: Pick<Entry, 'item' | 'file'>): number[] {
  if (file) return [file.id];
  const [first] = audioFiles(item);
  return first ? queueFor(item, first).map(({ id }) => id) : [];
}

export class UpcomingQueue {
  #order = $state.raw<Order>({ entries: [], rest: [] });
  /** The latest queued entry, for a notification. */
  added = $state.raw<{ entry: Entry; next: boolean } | null>(null);
  /** The queue before a manual removal; null after any other change. */
  #before = $state.raw<Order | null>(null);
  #serial = 0;

  /** `onchange` is called after each change. */
  constructor(private readonly onchange: () => void = () => {}) {}

  /** The loaded entries, which can be shown and moved. */
  get entries(): readonly Entry[] {
    return this.#order.entries;
  }

  /** Later entries, which are not fetched yet. */
  get rest(): readonly SavedEntry[] {
    return this.#order.rest;
  }

  get length(): number {
    return this.entries.length + this.rest.length;
  }

  get first(): Entry | null {
    return this.entries[0] ?? null;
  }

  get canUndo(): boolean {
    return this.#before !== null;
  }

  /** Queues a whole item, or one file of it, first or last. */
  add(item: Item, file: MediaFile | null, next: boolean): void {
    const { entries, rest } = this;
    const entry = this.#entry({ item, file, place: this.#placeOf(next) });
    this.added = { entry, next };
    if (next) this.#become({ entries: [entry, ...entries], rest });
    else this.#append(entry);
  }

  /** Queues what has been played, as the last entry. */
  repeat(item: Item, file: MediaFile | null): void {
    this.#append(this.#entry({ item, file, place: this.#placeOf(false) }));
  }

  /** Shuffles the entries by a seed, or restores their original order without one. */
  shuffle(seed: number | null): void {
    const all = [...this.entries, ...this.rest];
    if (seed === null) return this.#arrange(all.toSorted(byPlace).map(unplaced));
    const placed = all.map((one, place) => ({ ...one, place }));
    this.#arrange(shuffled(placed, seed, ({ place }) => place));
  }

  /** Fetched entries after one that is not fetched are fetched again. */
  #arrange(all: readonly (Entry | SavedEntry)[]): void {
    const at = all.findIndex((one) => !isEntry(one));
    const loaded = at < 0 ? all : all.slice(0, at);
    const rest = at < 0 ? [] : all.slice(at);
    this.#become({
      entries: loaded.filter(isEntry),
      rest: rest.map((one) => (isEntry(one) ? savedEntryOf(one) : one)),
    });
  }

  #append(entry: Entry): void {
    const { entries, rest } = this;
    // After entries that are not fetched yet: append it to them.
    if (rest.length > 0) this.#become({ entries, rest: [...rest, savedEntryOf(entry)] });
    else this.#become({ entries: [...entries, entry], rest });
  }

  /** Returns the original place of a new entry: before or after all others of a shuffled queue. */
  #placeOf(next: boolean): number | undefined {
    const places = [...this.entries, ...this.rest].flatMap(({ place }) => place ?? []);
    if (places.length === 0) return undefined;
    return next ? Math.min(...places) - 1 : Math.max(...places) + 1;
  }

  /** Removes a started entry, by default the first. */
  take(key = this.first?.key): Entry | null {
    const entry = this.entries.find((one) => one.key === key);
    if (!entry) return null;
    this.#put(this.entries.filter((one) => one !== entry));
    return entry;
  }

  remove(key: number): void {
    this.#become({ entries: this.entries.filter((one) => one.key !== key), rest: this.rest }, this.#order);
  }

  clear(): void {
    this.#become({ entries: [], rest: [] }, this.#order);
  }

  undo(): void {
    if (this.#before) this.#become(this.#before);
  }

  /** Moves an entry to an index, limited to the ends of the list. */
  move(key: number, to: number): void {
    const entry = this.entries.find((one) => one.key === key);
    if (!entry) return;
    const others = this.entries.filter((one) => one !== entry);
    const at = Math.min(Math.max(0, to), others.length);
    if (this.entries[at] !== entry) this.#put(others.toSpliced(at, 0, entry));
  }

  /** Restores the saved entries, before any that were queued since. */
  restore(kept: readonly Content[], rest: readonly SavedEntry[] = []): void {
    const since = this.entries;
    const entries = kept.map((one) => this.#entry(one));
    if (rest.length === 0) this.#put([...entries, ...since]);
    else this.#become({ entries, rest: [...rest, ...since.map(savedEntryOf)] });
  }

  /** Of the rest, `asked` was fetched, and these items exist. Entries removed meanwhile stay removed. */
  arrive(asked: readonly SavedEntry[], there: readonly Arrived[]): void {
    const arrived = new Map<SavedEntry, Entry[]>();
    // A saved entry can become several ones.
    for (const one of there) arrived.set(one.ids, [...(arrived.get(one.ids) ?? []), this.#entry(one)]);
    const after = ({ entries, rest }: Order): Order => ({
      entries: [...entries, ...rest.flatMap((ids) => arrived.get(ids) ?? [])],
      rest: rest.filter((ids) => !asked.includes(ids)),
    });
    this.#become(after(this.#order), this.#before && after(this.#before));
  }

  /** Replaces all entries. */
  replace(kept: readonly Content[], rest: readonly SavedEntry[]): void {
    this.#become({ entries: kept.map((one) => this.#entry(one)), rest });
  }

  /** Empties the queue, because the player was closed. */
  end(): void {
    this.added = null;
    this.#become({ entries: [], rest: [] });
  }

  #entry({ item, file, place }: Content): Entry {
    return { key: ++this.#serial, item, file, ...(place === undefined ? {} : { place }) };
  }

  #put(entries: readonly Entry[]): void {
    this.#become({ entries, rest: this.rest });
  }

  #become(order: Order, before: Order | null = null): void {
    this.#order = order;
    this.#before = before;
    this.onchange();
  }
}

/** Identifies an entry across a reload. */
export function savedEntryOf({ item, file, place }: Content): SavedEntry {
  return {
    ...{ item: item.id, file: file?.id ?? null, alone: file !== null },
    ...(place === undefined ? {} : { place }),
    ...(file === null ? { files: filesOf({ item, file }) } : {}),
  };
}

function isEntry(one: Entry | SavedEntry): one is Entry {
  return 'key' in one;
}

/** Entries without a place come last: they were queued while the others were fetched. */
function byPlace(a: { place?: number }, b: { place?: number }): number {
  return (a.place ?? Number.MAX_SAFE_INTEGER) - (b.place ?? Number.MAX_SAFE_INTEGER);
}

/** Removes the place, because the order is the original one again. */
function unplaced(one: Entry | SavedEntry): Entry | SavedEntry {
  const copy = { ...one };
  delete copy.place;
  return copy;
}
