/** Parts of item lists and item pages that come after the first content. */
import type { Card, Item, MediaFile } from '../api/types';
import { Later } from '../lib/later.svelte';

/** The menu of a card. */
export const cardMenu = new Later<{ item: Card }>(() => import('./CardMenu.svelte'));

/** The lower part of an item's page. */
export const itemDetails = new Later<{ item: Item; present: MediaFile[] }>(
  () => import('./ItemDetails.svelte'),
);
