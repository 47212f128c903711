/** Loads the lower part of an item's page after the first content. */
import type { Item, MediaFile } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';

export const itemDetails = new LazyComponent<{ item: Item; present: MediaFile[]; isShow: boolean }>(
  () => import('./ItemDetails.svelte'),
);
