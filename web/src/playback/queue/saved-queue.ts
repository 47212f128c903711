/** The current and upcoming entries, as ids in the storage of the tab, for a reload of the page. */
import { tabStorage } from '../../lib/env';

export interface SavedEntry {
  item: number;
  /** The current file, or the only file to play; null for a whole item. */
  file: number | null;
  alone: boolean;
  /** True for an entry that has not been played yet. */
  unbegun?: boolean;
  /** Place in the original order, of an entry in a shuffled queue. */
  place?: number;
  /** The files of a whole item. */
  files?: readonly number[];
  /** Consecutive files of one item in the server's queue: the whole item, or single files of it. */
  run?: readonly number[];
}

export class SavedQueue {
  readonly #name: string;

  constructor(
    user: number,
    private readonly shelf: typeof tabStorage = tabStorage,
  ) {
    // Stored per user, because another user can sign in within this tab.
    this.#name = `queue.${user}`;
  }

  /** Returns the current entry, then the upcoming ones. Empty if nothing valid is stored. */
  get(): SavedEntry[] {
    try {
      const list: unknown = JSON.parse(this.shelf.get(this.#name) || '[]');
      return Array.isArray(list) ? list.filter(isSavedEntry) : [];
    } catch {
      return [];
    }
  }

  set(list: readonly SavedEntry[]): void {
    this.shelf.set(this.#name, list.length === 0 ? '' : JSON.stringify(list));
  }
}

function isSavedEntry(one: unknown): one is SavedEntry {
  const { item, file, alone, place, files, run } = (one ?? {}) as Record<string, unknown>;
  return (
    Number.isSafeInteger(item) &&
    (file === null || Number.isSafeInteger(file)) &&
    typeof alone === 'boolean' &&
    (place === undefined || Number.isSafeInteger(place)) &&
    [files, run].every(isFileList)
  );
}

function isFileList(list: unknown): boolean {
  return list === undefined || (Array.isArray(list) && list.every(Number.isSafeInteger));
}
