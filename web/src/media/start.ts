/** What comes at the first sound. */
import type { ApiClient } from '../api/client';
import type { Places } from '../progress/places.svelte';
import { Kept } from './kept';
import { Player } from './player.svelte';

export { default as Dock } from './Dock.svelte';

/** The player of one person, in this tab, which takes up at once what was kept over a reload. */
export const playerOf = (
  elements: readonly [HTMLAudioElement, HTMLAudioElement],
  api: ApiClient,
  places: Places,
  user: number,
): Player => {
  const player = new Player(elements, api, places, new Kept(user));
  void player.restore();
  return player;
};
