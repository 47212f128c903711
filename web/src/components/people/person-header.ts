/** Loads the top of a person's page after the first content. */
import type { PersonDetail } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';
import type { Group } from './groups';

export const personHeader = new LazyComponent<{ person: PersonDetail; groups: readonly Group[] }>(
  () => import('./PersonHeader.svelte'),
);
