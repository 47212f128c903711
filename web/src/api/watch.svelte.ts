/** Binds cached responses to a component: they load on mount and are released on unmount. */
import { untrack } from 'svelte';
import type { Query } from './query.svelte';

const FRESH = 15_000;

type Watched = Pick<Query<unknown>, 'hold' | 'load'>;

/**
 * Loads the queries that `choose` returns, and again after each change. Call it during the setup of a component. Only
 * the choice is tracked: a load reads and writes the state of its query, so tracking it would repeat the effect. An
 * equal choice has no effect: to release its queries would abort their requests, and to load them would repeat these.
 */
export function watch(choose: () => Watched | readonly Watched[] | null, staleAfter = FRESH): void {
  let latest: readonly Watched[] = [];
  const queries = $derived.by(() => {
    const chosen = [choose() ?? []].flat();
    const isEqual = chosen.length === latest.length && chosen.every((query, at) => query === latest[at]);
    return isEqual ? latest : (latest = chosen);
  });
  $effect(() => {
    const loaded = queries;
    const releases = loaded.map((query) => query.hold());
    untrack(() => loaded.forEach((query) => void query.load(staleAfter)));
    return () => releases.forEach((release) => release());
  });
}
