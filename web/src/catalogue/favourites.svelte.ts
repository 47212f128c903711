/**
 * The outbox of favourite marks that the server has not confirmed. It survives reloads, belongs to one user, and is
 * sent when the server answers again.
 */
import { isFinal, Unreachable, type ApiClient } from '../api/client';
import type { KeyValueStore } from '../lib/env';

const CAPACITY = 500;

export class Favourites {
  #waiting = $state.raw<ReadonlyMap<number, boolean>>(new Map());
  #name: string | null = null;
  #sending: Promise<boolean> | null = null;

  constructor(
    private readonly api: Pick<ApiClient, 'setFavourite'>,
    private readonly store: KeyValueStore,
  ) {}

  /** Switches to the outbox of a user, or to none. */
  setUser(user: number | null): void {
    this.#name = user === null ? null : `favourites.${user}`;
    this.#waiting = new Map(this.#read());
  }

  /** Returns the pending mark, otherwise the mark from the server. */
  of(item: { id: number; favourite: boolean }): boolean {
    return this.#waiting.get(item.id) ?? item.favourite;
  }

  /** Sends a mark, and stores it if the server does not answer. Rejects if the server rejects it. */
  async set(id: number, marked: boolean): Promise<void> {
    const name = this.#name;
    try {
      await this.api.setFavourite(id, marked);
    } catch (error) {
      if (!(error instanceof Unreachable) || name !== this.#name) throw error;
      this.#change((waiting) => {
        waiting.delete(id);
        waiting.set(id, marked);
      });
      return;
    }
    if (name === this.#name) this.#change((waiting) => waiting.delete(id));
  }

  /** Sends pending marks, oldest first, until one gets no response. Resolves to true if any was sent. */
  flush(): Promise<boolean> {
    this.#sending ??= this.#flush().finally(() => (this.#sending = null));
    return this.#sending;
  }

  async #flush(): Promise<boolean> {
    const name = this.#name;
    let some = false;
    for (const [id, marked] of this.#waiting) {
      // The user can change a mark while earlier ones are sent.
      if (this.#waiting.get(id) !== marked) continue;
      try {
        await this.api.setFavourite(id, marked);
      } catch (error) {
        if (!isFinal(error)) return some;
      }
      if (name !== this.#name) return some;
      some = true;
      this.#change((waiting) => waiting.get(id) === marked && waiting.delete(id));
    }
    return some;
  }

  #change(act: (waiting: Map<number, boolean>) => void): void {
    const waiting = new Map(this.#waiting);
    act(waiting);
    const oldest = waiting.keys().next();
    if (waiting.size > CAPACITY && !oldest.done) waiting.delete(oldest.value);
    if (waiting.size === 0 && this.#waiting.size === 0) return;
    this.#waiting = waiting;
    if (this.#name !== null) this.store.set(this.#name, JSON.stringify([...waiting]));
  }

  #read(): [number, boolean][] {
    try {
      const list: unknown = JSON.parse((this.#name === null ? null : this.store.get(this.#name)) ?? '[]');
      return Array.isArray(list) ? list.filter(isMark) : [];
    } catch {
      return []; // not written by this version
    }
  }
}

function isMark(value: unknown): value is [number, boolean] {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'boolean';
}
