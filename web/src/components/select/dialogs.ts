/** The dialogs of select mode, which load together with their first use. */
export { default as EditDialog } from './EditDialog.svelte';
export { default as TagsDialog } from './TagsDialog.svelte';
