/** The scroll position over a reload. The browser stores it for the tab; the router keeps those of other pages. */
import { tabStorage } from '../lib/env';
import type { Router } from './router.svelte';

const NAME = 'scroll';
/** Milliseconds until missing content is given up. */
const PATIENCE = 10_000;
/** After these events, the user scrolls, or is about to. */
const INPUTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** The position that the page is still too short for. */
let wanted = 0;

/** Stores the position at the end of the page, and restores it after a reload. */
export function keepPosition(router: Pick<Router, 'onmove' | 'path'>): void {
  addEventListener('pagehide', () => save(router.path));
  const [visit] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  const position = take();
  if (visit?.type === 'reload' && position > 0 && scrollY === 0) restore(position, router);
}

/** The address already is that of the next page while that one loads; the position is not. */
function save(shown: string): void {
  const position = location.pathname === shown ? wanted || scrollY : 0;
  tabStorage.set(NAME, JSON.stringify([location.href, position]));
}

/** Returns the stored position of this page, and clears it, so that it is restored once. */
function take(): number {
  const [href, position] = JSON.parse(tabStorage.get(NAME) || '[]') as unknown[];
  tabStorage.set(NAME, '');
  return href === location.href ? Number(position) : 0;
}

/** Scrolls as soon as the page is long enough, unless the user scrolls first or leaves the page. */
function restore(position: number, router: Pick<Router, 'onmove' | 'path'>): void {
  wanted = position;
  const observer = new ResizeObserver(() => {
    // A scrollbar that is dragged sends none of these events.
    if (scrollY !== 0) return stop();
    if (document.documentElement.scrollHeight - innerHeight < position) return;
    stop();
    scrollTo(0, position);
  });
  const release = router.onmove(stop);
  const timer = setTimeout(stop, PATIENCE);
  for (const name of INPUTS) addEventListener(name, stop);
  observer.observe(document.body);

  function stop() {
    wanted = 0;
    observer.disconnect();
    release();
    clearTimeout(timer);
    for (const name of INPUTS) removeEventListener(name, stop);
  }
}
