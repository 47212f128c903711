/** Loads the code that draws covers. Only items without a cover need it. */
import { once } from '../../lib/once';

export const loadArt = once(() => import('./DrawnCover.svelte').then((module) => module.default));
