/** Loads the top of a person's page after the first content. */
import type { PersonDetail } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';
import type { Group } from './groups';

export type HeaderProps = {
  person: PersonDetail;
  groups: readonly Group[];
  /** Fetches the person again. Called repeatedly while the server requests details of the person. */
  onpending: () => Promise<void>;
};

export const personHeader = new LazyComponent<HeaderProps>(() => import('./PersonHeader.svelte'));
