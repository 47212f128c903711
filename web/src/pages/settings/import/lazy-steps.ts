/** Loads the steps of an import after the first content of their page. */
import { LazyComponent } from '../../../app/lazy-component.svelte';

export const importSteps = new LazyComponent<Record<string, never>>(() => import('./ImportSteps.svelte'));
