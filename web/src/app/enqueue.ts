/** Adds items to the queue from any page. */
import type { Item } from '../api/models';
import type { App } from './context';
import { audioFiles } from '../catalogue/audio-files';

/** Queues an item by its id. Call it within the click. Resolves to true if the item has audio files. */
export async function enqueue(
  { api, player }: Pick<App, 'api' | 'player'>,
  id: number,
  next: boolean,
): Promise<{ item: Item; heard: boolean }> {
  const asked = api.item(id).then((item) => ({ item, heard: audioFiles(item).length > 0 }));
  player.with((one, isWanted) => {
    asked.then(
      ({ item, heard }) => heard && one.add(item, null, next, isWanted),
      () => {}, // the caller reports the error
    );
  });
  return asked;
}
