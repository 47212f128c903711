/** Favourites that the server has not confirmed yet: kept over reloads, for one user, and sent when it answers again. */
import { Unreachable, type ApiClient } from '../api/client';
import { isFinal } from '../progress/places.svelte';
import type { Store } from '../progress/outbox';

const CAPACITY = 500;

export class Favourites {
  #waiting = $state.raw<ReadonlyMap<number, boolean>>(new Map());
  #name: string | null = null;
  #sending: Promise<boolean> | null = null;

  constructor(
    private readonly api: Pick<ApiClient, 'setFavourite'>,
    private readonly store: Store,
  ) {}

  /** Switches to the outbox of a user, or to none. */
  become(user: number | null): void {
    this.#name = user === null ? null : `favourites.${user}`;
    this.#waiting = new Map(this.#read());
  }

  /** The mark that waits, else the server's. */
  of(item: { id: number; favourite: boolean }): boolean {
    return this.#waiting.get(item.id) ?? item.favourite;
  }

  /** Sends a mark, and keeps it where the server does not answer. Rejects where the server refuses it. */
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

  /** Sends what waits, oldest first, until one is not answered. Resolves to whether any was sent. */
  flush(): Promise<boolean> {
    this.#sending ??= this.#flush().finally(() => (this.#sending = null));
    return this.#sending;
  }

  async #flush(): Promise<boolean> {
    const name = this.#name;
    let some = false;
    for (const [id, marked] of this.#waiting) {
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
      return []; // written by something else
    }
  }
}

function isMark(value: unknown): value is [number, boolean] {
  return Array.isArray(value) && typeof value[0] === 'number' && typeof value[1] === 'boolean';
}
