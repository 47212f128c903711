/** Ties a cached answer to a component: loaded when shown, let go when gone. */
import { untrack } from 'svelte';
import type { Query } from '../api/query.svelte';

const FRESH = 15_000;

/** Loads whatever `choose` names, again whenever it names another. Call while a component is set up. */
export function watch<T>(choose: () => Query<T> | null, staleAfter = FRESH): void {
  $effect(() => {
    const query = choose();
    if (!query) return undefined;
    const release = query.hold();
    untrack(() => void query.load(staleAfter));
    return release;
  });
}
