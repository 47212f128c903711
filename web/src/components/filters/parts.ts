/** The parts of the filters that load together. */
export { default as ChosenFilters } from './ChosenFilters.svelte';
export { default as FilterPanel } from './FilterPanel.svelte';
