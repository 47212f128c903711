/** The parts of the router that load after the first page. */
import { keepPosition } from './reload-position';
import { prefetchPages } from './prefetch-pages';
import type { Router } from './router.svelte';

export { transition } from '../lib/view-transition';

export function start(router: Router): void {
  prefetchPages();
  keepPosition(router);
}
