/** Loads the parts of an item's header that follow the first content: the page has a size limit. */
import type { Item } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';

export type HeaderPart = 'backdrop' | 'title' | 'facts' | 'genres' | 'tagline' | 'cast';

interface Props extends Record<string, unknown> {
  item: Item;
  part: HeaderPart;
  isShow: boolean;
  duration: number;
}

export const itemHeader = new LazyComponent<Props>(() => import('./ItemHeader.svelte'));
