/** The order of playback: shuffled or not, repeated or not. It lasts over a reload, like the queue. */
import type { MediaFile } from '../../api/models';
import { stream } from '../../lib/hash';
import { ORIGINAL, REPEATS, type Order, type Repeat, type SavedOrder } from './saved-order';
import type { Opening } from './upcoming.svelte';

/** The multiplier separates the numbers of neighbouring ids. */
const SPREAD = 0x9e3779b1;
const SEEDS = 2 ** 32;

/** Returns the values in an order that depends only on the seed and on their ids. */
export function shuffled<T>(all: readonly T[], seed: number, idOf: (one: T) => number): T[] {
  const ranks = new Map(all.map((one) => [one, stream(seed + Math.imul(idOf(one), SPREAD))()]));
  return all.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

export class PlayOrder {
  #value = $state.raw<Order>(ORIGINAL);

  constructor(
    private readonly kept: Pick<SavedOrder, 'get' | 'set'>,
    private readonly random: () => number = Math.random,
  ) {
    this.#value = kept.get();
  }

  /** Determines the shuffled order; null in the original one. */
  get seed(): number | null {
    return this.#value.seed;
  }

  get repeat(): Repeat {
    return this.#value.repeat;
  }

  /** Returns a seed for a new shuffled order. */
  draw(): number {
    return Math.floor(this.random() * SEEDS);
  }

  /** Shuffles by a seed, or restores the original order without one. */
  shuffle(seed: number | null): void {
    this.#change({ seed, head: null });
  }

  /** Changes to the next way of repetition. */
  cycle(): void {
    const next = REPEATS[(REPEATS.indexOf(this.repeat) + 1) % REPEATS.length];
    this.#change({ repeat: next ?? 'off' });
  }

  /** Returns an opening in play order. Its file comes first; in an item from the start, a random file. */
  arrange(opening: Opening): Opening {
    const { files, index, isFresh } = opening;
    if (this.seed === null || files.length < 2) return opening;
    if (!isFresh) return this.#startingWith(files[index], opening);
    const [head] = shuffled(files, this.seed, ({ id }) => id);
    return { ...this.#startingWith(head, opening), index: 0 };
  }

  /** Returns an opening in the order that it had before the reload. */
  restore(opening: Opening): Opening {
    const head = opening.files.find(({ id }) => id === this.#value.head);
    return head && this.seed !== null ? this.#startingWith(head, opening) : this.arrange(opening);
  }

  /** Records the first file of the order, for a reload. */
  begin(head: MediaFile | undefined): void {
    if (this.seed !== null) this.#change({ head: head?.id ?? null });
  }

  #startingWith(head: MediaFile | undefined, opening: Opening): Opening {
    const current = opening.files[opening.index];
    if (this.seed === null || !head || !current) return opening;
    const others = shuffled(opening.files, this.seed, ({ id }) => id).filter((one) => one !== head);
    const files = [head, ...others];
    return { ...opening, files, index: files.indexOf(current) };
  }

  #change(part: Partial<Order>): void {
    this.#value = { ...this.#value, ...part };
    this.kept.set(this.#value);
  }
}
