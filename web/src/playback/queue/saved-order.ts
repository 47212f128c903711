/** The order of the queue in the storage of the tab, for a reload of the page. */
import { tabStorage } from '../../lib/env';

export const REPEATS = ['off', 'all', 'one'] as const;
export type Repeat = (typeof REPEATS)[number];

export interface Order {
  /** Determines the shuffled order; null in the original one. */
  seed: number | null;
  /** The file that comes first in the shuffled order of the current item. */
  head: number | null;
  repeat: Repeat;
}

export const ORIGINAL: Order = { seed: null, head: null, repeat: 'off' };

export class SavedOrder {
  readonly #name: string;

  constructor(
    user: number,
    private readonly shelf: typeof tabStorage = tabStorage,
  ) {
    this.#name = `order.${user}`;
  }

  /** Returns the stored order; the original one if nothing valid is stored. */
  get(): Order {
    try {
      return orderOf(JSON.parse(this.shelf.get(this.#name) || '{}'));
    } catch {
      return ORIGINAL;
    }
  }

  set(order: Order): void {
    this.shelf.set(this.#name, JSON.stringify(order));
  }
}

function orderOf(one: unknown): Order {
  const { seed, head, repeat } = (one ?? {}) as Record<string, unknown>;
  return {
    seed: Number.isSafeInteger(seed) ? (seed as number) : null,
    head: Number.isSafeInteger(head) ? (head as number) : null,
    repeat: REPEATS.find((name) => name === repeat) ?? 'off',
  };
}
