/** Plays a list of files from any page. */
import type { App } from './context';
import type { SavedEntry } from '../playback/queue/saved-queue';

/**
 * Replaces the queue by the entries that `fetch` returns, and plays them. Call it within the click. Resolves to false
 * if nothing of it can be played, and to true if the user played something else meanwhile.
 */
export async function playEntries(
  { player }: Pick<App, 'player'>,
  fetch: () => Promise<SavedEntry[]>,
  shuffled = false,
): Promise<boolean> {
  const isLatest = player.takeTurn();
  const fetched = fetch();
  const played = new Promise<boolean>((resolve, reject) => {
    player.with((one, isWanted) => {
      if (!isLatest()) return resolve(true);
      // An entry of the queue can be played in the player itself.
      const isLatestThere = one.takeTurn();
      const isDue = () => isWanted() && isLatest() && isLatestThere();
      fetched.then(async (all) => resolve(!isDue() || (await one.playAll(all, shuffled)))).catch(reject);
    }, reject);
  });
  return (await Promise.all([played, fetched]))[0];
}
