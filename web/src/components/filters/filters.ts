/** Loads the parts of the filters when they are needed: the first page has none of them. */
import { LazyComponent } from '../../app/lazy-component.svelte';
import type { ItemQuery } from '../../api/client';
import type { MediaType } from '../../api/models';
import type { Key } from '../../i18n';

/** A choice of the interface. */
export interface Choice {
  id: string;
  text: Key;
}

export interface FilterProps extends Record<string, unknown> {
  kind: MediaType;
  /** The filters of the list. */
  filter: ItemQuery;
  /** Progress states by the names of this kind. */
  states: readonly Choice[];
  /** Filters that are on or off. */
  switches: readonly Choice[];
}

export interface PanelProps extends FilterProps {
  /** Number of items of the list, as far as it is known. */
  total: number | null;
  /** The order of the list. */
  order: { sort: string; order: 'asc' | 'desc' };
  onclose: () => void;
}

export interface ChosenProps extends FilterProps {
  isOpen: boolean;
  /** Called after the last filter was removed, to move the focus. */
  onempty: () => void;
}

const parts = () => import('./parts');
export const filterPanel = new LazyComponent<PanelProps>(async () => ({
  default: (await parts()).FilterPanel,
}));
export const chosenFilters = new LazyComponent<ChosenProps>(async () => ({
  default: (await parts()).ChosenFilters,
}));
