/** The queue: what plays after the thing that plays now, in an order of one's own. */
import type { Item, MediaFile } from '../api/types';
import { upNext } from '../progress/resume';
import { viewerFor } from '../viewers/registry';
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

interface Where {
  of: Parameters<typeof upNext>[1];
  resume(file: MediaFile): number;
}

/** The files of an item that are heard. */
export function heardFiles(item: Pick<Item, 'files'>): MediaFile[] {
  return item.files.filter((file) => !file.missing && viewerFor(file.viewer).on === 'background');
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
  entries = $state.raw<readonly Entry[]>([]);
  /** What was queued last, for telling so. */
  added = $state.raw<{ entry: Entry; next: boolean } | null>(null);
  /** How it stood before something was taken away by hand; null once anything else has changed. */
  #before = $state.raw<readonly Entry[] | null>(null);
  #serial = 0;

  /** `onchange` is told of every change. */
  constructor(private readonly onchange: () => void = () => {}) {}

  get first(): Entry | null {
    return this.entries[0] ?? null;
  }

  get canUndo(): boolean {
    return this.#before !== null;
  }

  /** Queues the whole of a thing, or one file of it: to come first, or last. */
  add(item: Item, file: MediaFile | null, next: boolean): void {
    const entry = { key: ++this.#serial, item, file };
    this.added = { entry, next };
    this.#become(next ? [entry, ...this.entries] : [...this.entries, entry]);
  }

  /** Takes an entry out, the first where none is named, because it begins. */
  take(key = this.first?.key): Entry | null {
    const entry = this.entries.find((one) => one.key === key);
    if (!entry) return null;
    this.#become(this.entries.filter((one) => one !== entry));
    return entry;
  }

  remove(key: number): void {
    this.#become(
      this.entries.filter((one) => one.key !== key),
      this.entries,
    );
  }

  clear(): void {
    this.#become([], this.entries);
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
    if (this.entries[at] !== entry) this.#become(others.toSpliced(at, 0, entry));
  }

  /** Takes up what was kept, before anything that was queued since. */
  restore(kept: readonly Pick<Entry, 'item' | 'file'>[]): void {
    const entries = kept.map(({ item, file }) => ({ key: ++this.#serial, item, file }));
    this.#become([...entries, ...this.entries]);
  }

  /** The player is put away: nothing is to come. */
  end(): void {
    this.added = null;
    this.#become([]);
  }

  #become(entries: readonly Entry[], before: readonly Entry[] | null = null): void {
    this.entries = entries;
    this.#before = before;
    this.onchange();
  }
}
