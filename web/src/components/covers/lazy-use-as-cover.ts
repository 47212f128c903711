/** Loads the button that makes the present picture the cover, for administrators only. */
import { LazyComponent } from '../../app/lazy-component.svelte';
import type { Frame } from './frame';

export type UseAsCoverProps = {
  /** Id of the item. */
  item: number;
  /** Returns the present picture; null without one. */
  frame: () => Promise<Frame | null> | Frame | null;
  /** Shows a text, or removes it. */
  onnotify: (text: string) => void;
  /** True for a button with an icon only. */
  compact?: boolean;
};

export const useAsCover = new LazyComponent<UseAsCoverProps>(() => import('./UseAsCover.svelte'));
