/** Loads the letters at the edge of a list after its first content. */
import type { Letter } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';

export const letterRail = new LazyComponent<{
  letters: Letter[];
  /** Index of the first visible item. */
  at: number;
  onpick: (offset: number) => void;
}>(() => import('./LetterRail.svelte'));
