/** What comes at the first sound. */
export { default as Dock } from './Dock.svelte';
export { Player } from './player.svelte';
