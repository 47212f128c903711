/** Loads the groups of names after the items that a search found. */
import { LazyComponent } from '../../app/lazy-component.svelte';

export type FoundNamesProps = {
  /** The search, or an empty text. */
  words: string;
  /** Called with the number of groups with matches. */
  onfound: (groups: number) => void;
  /** Called when the user opens a name. */
  onopen: () => void;
};

export const foundNames = new LazyComponent<FoundNamesProps>(() => import('./FoundNames.svelte'));
