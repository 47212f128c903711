/** Code that is loaded at the first playback. */
import type { ApiClient } from '../../api/client';
import type { ProgressStore } from '../../progress/progress-store.svelte';
import { SavedOrder } from '../../playback/queue/saved-order';
import { SavedQueue } from '../../playback/queue/saved-queue';
import { Player } from '../../playback/player.svelte';

export { default as Dock } from './Dock.svelte';

/** Creates the player of one user in this tab. It restores the queue that was saved over a reload. */
export const createPlayer = (
  elements: readonly [HTMLAudioElement, HTMLAudioElement],
  api: ApiClient,
  progressStore: ProgressStore,
  user: number,
): Player => {
  const player = new Player(elements, api, progressStore, new SavedQueue(user), new SavedOrder(user));
  void player.restore();
  return player;
};
