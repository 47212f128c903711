/** The queue: what plays after the thing that plays now, in an order of one's own. */
import type { Item, MediaFile } from '../api/types';
import { upNext } from '../progress/resume';
import { heardFiles } from './heard';
import type { Ids } from './kept';
import { queueFor } from './queue';

/** A thing that is to come: the whole of it, or one file. */
export interface Entry {
  /** Tells it from the same thing queued twice. */
  readonly key: number;
  readonly item: Item;
  /** Null for the whole. */
  readonly file: MediaFile | null;
}

/** What an entry plays. */
export interface Opening {
  files: MediaFile[];
  index: number;
  from: number;
}

/** A thing that was kept, and turned out to be there. */
type Arrived = Pick<Entry, 'item' | 'file'> & { readonly ids: Ids };

interface Order {
  readonly entries: readonly Entry[];
  /** What comes after them and was not fetched yet. */
  readonly rest: readonly Ids[];
}

interface Where {
  of: Parameters<typeof upNext>[1];
  resume(file: MediaFile): number;
}

/** Where an entry begins: as the button on its page would, at the place that was left or anew. */
export function openingOf({ item, file }: Pick<Entry, 'item' | 'file'>, places: Where): Opening | null {
  if (file) return { files: [file], index: 0, from: places.resume(file) };
  const next = upNext({ ...item, files: heardFiles(item) }, (one) => places.of(one));
  if (!next) return null;
  const files = queueFor(item, next.file);
  const from = next.state === 'started' ? places.resume(next.file) : 0;
  return { files, index: Math.max(0, files.indexOf(next.file)), from };
}

export class Upcoming {
  #order = $state.raw<Order>({ entries: [], rest: [] });
  /** What was queued last, for telling so. */
  added = $state.raw<{ entry: Entry; next: boolean } | null>(null);
  /** How it stood before something was taken away by hand; null once anything else has changed. */
  #before = $state.raw<Order | null>(null);
  #serial = 0;

  /** `onchange` is told of every change. */
  constructor(private readonly onchange: () => void = () => {}) {}

  /** Those that are at hand, to be seen and moved. */
  get entries(): readonly Entry[] {
    return this.#order.entries;
  }

  /** What comes after them, known by its ids alone. */
  get rest(): readonly Ids[] {
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

  /** Queues the whole of a thing, or one file of it: to come first, or last. */
  add(item: Item, file: MediaFile | null, next: boolean): void {
    const entry = this.#entry({ item, file });
    const { entries, rest } = this;
    this.added = { entry, next };
    if (next) this.#become({ entries: [entry, ...entries], rest });
    // Behind those that were not fetched yet it takes its turn among them.
    else if (rest.length > 0) this.#become({ entries, rest: [...rest, idsOf(entry)] });
    else this.#become({ entries: [...entries, entry], rest });
  }

  /** Takes an entry out, the first where none is named, because it begins. */
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

  /** Puts an entry to a place among the others; beyond an end it stays there. */
  move(key: number, to: number): void {
    const entry = this.entries.find((one) => one.key === key);
    if (!entry) return;
    const others = this.entries.filter((one) => one !== entry);
    const at = Math.min(Math.max(0, to), others.length);
    if (this.entries[at] !== entry) this.#put(others.toSpliced(at, 0, entry));
  }

  /** Takes up what was kept, before anything that was queued since. */
  restore(kept: readonly Pick<Entry, 'item' | 'file'>[], rest: readonly Ids[] = []): void {
    const since = this.entries;
    const entries = kept.map((one) => this.#entry(one));
    if (rest.length === 0) this.#put([...entries, ...since]);
    else this.#become({ entries, rest: [...rest, ...since.map(idsOf)] });
  }

  /** Of the rest, `asked` was fetched, and these are there. What was put away meanwhile stays away. */
  arrive(asked: readonly Ids[], there: readonly Arrived[]): void {
    const known = new Map(there.map((one) => [one.ids, this.#entry(one)]));
    const after = ({ entries, rest }: Order): Order => ({
      entries: [...entries, ...rest.flatMap((ids) => known.get(ids) ?? [])],
      rest: rest.filter((ids) => !asked.includes(ids)),
    });
    this.#become(after(this.#order), this.#before && after(this.#before));
  }

  /** The player is put away: nothing is to come. */
  end(): void {
    this.added = null;
    this.#become({ entries: [], rest: [] });
  }

  #entry({ item, file }: Pick<Entry, 'item' | 'file'>): Entry {
    return { key: ++this.#serial, item, file };
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

/** By what an entry is known over a reload. */
export function idsOf({ item, file }: Pick<Entry, 'item' | 'file'>): Ids {
  return { item: item.id, file: file?.id ?? null, alone: file !== null };
}
