/** Loads the code that draws covers: only where an item has no cover of its own. */
import { once } from '../lib/once';

export const loadArt = once(() => import('./Art.svelte').then((module) => module.default));
