/** The contract between the page of a viewer and its component. */
import type { Item, MediaFile } from '../../../api/models';
import type { ProgressUpdate } from '../../../progress/progress-store.svelte';

export interface ViewerProps {
  item: Item;
  file: MediaFile;
  /** The position to start at, in the file's unit. */
  start: number;
  /** The relative position in the section or page `start`, 0 to 1, if the address contains it. */
  within: number | null;
  /** True if the user requested this position instead of continuing. */
  chosen: boolean;
  /** Reports a new position, at any rate. */
  onprogress: (reached: ProgressUpdate) => void;
  /** Reports a pause: the last position should be stored at once. */
  onpause: () => void;
  onclose: () => void;
}
