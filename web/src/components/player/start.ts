/** Code that is loaded at the first playback. */
import type { ApiClient } from '../../api/client';
import type { ProgressStore } from '../../progress/progress-store.svelte';
import { QueueApi } from '../../api/lists/queue';
import type { Router } from '../../app/router.svelte';
import { openPath } from '../../catalogue/viewer-ids';
import { SavedOrder } from '../../playback/queue/saved-order';
import { SavedQueue } from '../../playback/queue/saved-queue';
import { SavedConfirmed } from '../../playback/queue/saved-confirmed';
import { Player } from '../../playback/player.svelte';

export { default as Dock } from './Dock.svelte';

/** Creates the player of one user in this tab. It restores the queue that was saved over a reload. */
export const createPlayer = (
  elements: readonly [HTMLAudioElement, HTMLAudioElement],
  api: ApiClient,
  progressStore: ProgressStore,
  router: Pick<Router, 'navigate'>,
  user: number,
): Player => {
  const player = new Player(
    elements,
    api,
    progressStore,
    new SavedQueue(user),
    new SavedOrder(user),
    Date.now,
    {
      queue: new QueueApi(api),
      store: new SavedConfirmed(user),
      openFilm: (item, file, from) => router.navigate(`${openPath(item, file)}?at=${Math.floor(from)}`),
    },
  );
  void player.restore();
  return player;
};
