/** Plays a list of files from any page. */
import type { App } from './context';
import type { SavedEntry } from '../playback/queue/saved-queue';

/**
 * Replaces the queue by the entries that `fetch` returns, and plays them. Call it within the click. Resolves to false
 * if nothing of it can be played.
 */
export async function playEntries(
  { player }: Pick<App, 'player'>,
  fetch: () => Promise<SavedEntry[]>,
  shuffled = false,
): Promise<boolean> {
  const fetched = fetch();
  const played = new Promise<boolean>((resolve, reject) => {
    player.with((one, isWanted) => {
      fetched
        .then(async (all) => resolve(!isWanted() || (await one.playAll(all, shuffled))), reject)
        .catch(reject);
    });
  });
  await fetched; // its failure is reported even if the player does not load
  return played;
}
