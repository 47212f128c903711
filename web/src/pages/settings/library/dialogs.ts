/** Dialogs that are loaded on demand. */
import { once } from '../../../lib/once';

export const loadLibraryDialog = once(() =>
  import('./LibraryDialog.svelte').then((module) => module.default),
);
