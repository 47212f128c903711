/** Dialogs that are loaded when they are opened. */
import { once } from '../../lib/once';

export const loadLibraryDialog = once(() =>
  import('./LibraryDialog.svelte').then((module) => module.default),
);
