/** Loads a slider after the first content of a page. */
import { LazyComponent } from '../../app/lazy-component.svelte';

export const lazySlider = new LazyComponent<{
  label: string;
  value: number;
  low: number;
  high: number;
  step: number;
  oninput: (value: number) => void;
}>(() => import('./Slider.svelte'));
