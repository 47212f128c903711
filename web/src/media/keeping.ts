/** The queue over a reload of the page: what plays and what is to come is kept, and taken up again. */
import type { ApiClient } from '../api/client';
import type { Ids, Kept } from './kept';
import { takeUpFirst, type Found } from './takeup';
import { idsOf, type Upcoming } from './upcoming.svelte';

export class Keeping {
  /** What was kept and has not come yet. */
  #missed: readonly Ids[];
  /** It is being fetched. */
  coming: Promise<void> | null = null;

  constructor(
    private readonly api: Pick<ApiClient, 'item'>,
    private readonly kept: Pick<Kept, 'get' | 'set'>,
    private readonly upcoming: Upcoming,
  ) {
    this.#missed = kept.get();
  }

  keep(now: Ids | null): void {
    // What plays has taken the place of the first that was kept.
    const missed = this.#missed.slice(now ? 1 : 0);
    const { entries, rest } = this.upcoming;
    this.kept.set([...(now ? [now] : []), ...missed, ...entries.map(idsOf), ...rest]);
  }

  /** Whether something that was kept has not come yet. */
  get isMissing(): boolean {
    return this.#missed.length > 0;
  }

  /** Fetches what was kept. Where nothing plays by then, `stand` is told of the first, and whether that played last. */
  restore(isPlaying: () => boolean, stand: (first: Found, played: boolean) => void): Promise<void> {
    if (this.coming) return this.coming;
    if (!this.isMissing) return Promise.resolve();
    this.coming = this.#restore(isPlaying, stand).finally(() => (this.coming = null));
    return this.coming;
  }

  async #restore(isPlaying: () => boolean, stand: (first: Found, played: boolean) => void): Promise<void> {
    const kept = this.#missed;
    const taken = await takeUpFirst(this.api, kept);
    if (this.#missed !== kept) return;
    if (!taken) return isPlaying() ? this.#queue(kept.slice(1)) : undefined;
    this.#missed = [];
    const { there, rest } = taken;
    const [first, ...others] = there;
    const played = first?.ids === kept[0];
    // Whoever was quicker plays something else by now.
    if (isPlaying()) return this.upcoming.restore(played ? others : there, rest);
    this.upcoming.restore(others, rest);
    if (first) stand(first, played);
  }

  /** What is to play takes the place of the first. */
  replace(): void {
    if (!this.coming) this.#missed = this.#missed.slice(1);
  }

  /** Something plays: what was kept and did not come is fetched once it is needed, after that. */
  putOff(): void {
    if (!this.coming && this.isMissing) this.#queue(this.#missed);
  }

  #queue(rest: readonly Ids[]): void {
    this.#missed = [];
    this.upcoming.restore([], rest);
  }

  /** The player is put away. */
  end(): void {
    this.#missed = [];
  }
}
