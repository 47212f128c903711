/** What plays and what is to come, by ids alone, for a reload of the page: as long as the tab is there. */
import { tabStorage } from '../lib/env';

export interface Ids {
  item: number;
  /** The file that plays, or the only one that shall; null for the whole of a thing that is to come. */
  file: number | null;
  alone: boolean;
  /** It stands there, and was not played yet. */
  unbegun?: boolean;
}

export class Kept {
  readonly #name: string;

  constructor(
    user: number,
    private readonly shelf: typeof tabStorage = tabStorage,
  ) {
    // Of each person for themselves: whoever comes next in this tab has a queue of their own.
    this.#name = `queue.${user}`;
  }

  /** What plays first, then what is to come; nothing where none was kept, or something else wrote there. */
  get(): Ids[] {
    try {
      const list: unknown = JSON.parse(this.shelf.get(this.#name) || '[]');
      return Array.isArray(list) ? list.filter(isIds) : [];
    } catch {
      return [];
    }
  }

  set(list: readonly Ids[]): void {
    this.shelf.set(this.#name, list.length === 0 ? '' : JSON.stringify(list));
  }
}

function isIds(one: unknown): one is Ids {
  const { item, file, alone } = (one ?? {}) as Record<string, unknown>;
  return (
    Number.isSafeInteger(item) && (file === null || Number.isSafeInteger(file)) && typeof alone === 'boolean'
  );
}
