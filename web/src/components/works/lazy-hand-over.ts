/** Loads the buttons that continue in another form, only for items with such a form. */
import type { Item } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';

export const handOver = new LazyComponent<{
  item: Item;
  wide?: boolean;
  onbefore?: () => void;
  onleave?: () => void;
}>(() => import('./HandOver.svelte'));
