/** Binds cached responses to a component: they load on mount and are released on unmount. */
import { untrack } from 'svelte';
import type { Query } from './query.svelte';

const FRESH = 15_000;

type Watched = Pick<Query<unknown>, 'hold' | 'load'>;

/**
 * Loads the queries that `choose` returns, and again after each change. Call it during the setup of a component. Only
 * the choice is tracked: a load reads and writes the state of its query, so tracking it would repeat the effect.
 */
export function watch(choose: () => Watched | readonly Watched[] | null, staleAfter = FRESH): void {
  $effect(() => {
    const queries = [choose() ?? []].flat();
    const releases = queries.map((query) => query.hold());
    untrack(() => queries.forEach((query) => void query.load(staleAfter)));
    return () => releases.forEach((release) => release());
  });
}
