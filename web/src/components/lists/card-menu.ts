/** Loads the menu of a card after the first content. */
import type { Card } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';

export const cardMenu = new LazyComponent<{ item: Card }>(() => import('./CardMenu.svelte'));
