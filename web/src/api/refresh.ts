/**
 * What is on screen follows what happens on the server: counts while a scan runs, lists when it is through,
 * and covers as they come.
 */
import { isBusy, type Live } from './live.svelte';
import type { QueryCache } from './query.svelte';

const PAUSE = 3000;
const LISTS = ['libraries', 'items:', 'letters:', 'missing:', 'jobs:', 'home', 'search:', 'item:'];
const CARDS = ['items:', 'home', 'search:', 'item:'];

export function refresh(live: Pick<Live, 'on'>, cache: Pick<QueryCache, 'expire'>): () => void {
  const counts = seldom(() => cache.expire('libraries'));
  const jobs = seldom(() => cache.expire('jobs:'));
  const cards = seldom(() => CARDS.forEach((prefix) => cache.expire(prefix)));
  return live.on((event, before) => {
    if (event.type === 'covers' || event.type === 'reset') cards();
    if (event.type === 'job' || event.type === 'reset') jobs();
    // A scan may have ended meanwhile.
    if (event.type === 'reset' && event.data.reason === 'returned')
      for (const prefix of LISTS) cache.expire(prefix);
    if (event.type !== 'scan') return;
    if (isBusy(event.data)) counts();
    else if (isBusy(before)) for (const prefix of LISTS) cache.expire(prefix);
  });
}

/** Runs `act` some time after it was asked for, once for all who asked by then. */
function seldom(act: () => void): () => void {
  let due: ReturnType<typeof setTimeout> | undefined;
  return () => {
    due ??= setTimeout(() => {
      due = undefined;
      act();
    }, PAUSE);
  };
}
