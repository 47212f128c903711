/** What plays and what is to come, by ids alone, for a reload of the page: as long as the tab is there. */
export interface Ids {
  item: number;
  /** The file that plays, or the only one that shall; null for the whole of a thing that is to come. */
  file: number | null;
  alone: boolean;
}

interface Shelf {
  get(name: string): string | null;
  set(name: string, value: string): void;
}

/** This tab's own storage; where there is none, what is queued is gone with the page. */
const tab: Shelf = {
  get(name) {
    try {
      return sessionStorage.getItem(`ledge.${name}`);
    } catch {
      return null;
    }
  },
  set(name, value) {
    try {
      sessionStorage.setItem(`ledge.${name}`, value);
    } catch {
      // A private window, or a full disk.
    }
  },
};

export class Kept {
  readonly #name: string;

  constructor(
    user: number,
    private readonly shelf: Shelf = tab,
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
