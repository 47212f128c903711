/** Loads the menu of a card after the first content. */
import type { Card } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';
import type { List } from '../select/selection.svelte';
import type { Choice } from '../ui/Menu.svelte';

export interface CardMenuProps extends Record<string, unknown> {
  item: Card;
  /** The list of the card, if its items can be selected. */
  items?: List | undefined;
  /** More choices, of the list around the card. */
  more?: Choice[] | undefined;
}

export const cardMenu = new LazyComponent<CardMenuProps>(() => import('./CardMenu.svelte'));
