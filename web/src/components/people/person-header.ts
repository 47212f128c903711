/** Loads the top of a person's page after the first content. */
import type { PersonDetail } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';
import type { Group } from './groups';

export type HeaderProps = {
  person: PersonDetail;
  groups: readonly Group[];
  /** Called repeatedly while the server requests details of the person. */
  onpending: () => void;
};

export const personHeader = new LazyComponent<HeaderProps>(() => import('./PersonHeader.svelte'));
