/** Ways into the queue, from wherever a thing is shown. */
import type { Item, MediaType } from '../api/types';
import type { App } from '../lib/app';
import { viewerFor } from '../viewers/registry';
import { heardFiles } from './heard';

/** Whether things of a kind are heard: only those can be queued. */
export function isHeard(kind: Pick<MediaType, 'viewers'>): boolean {
  return Object.values(kind.viewers).some((id) => viewerFor(id).on === 'background');
}

/** Queues what is known by its id alone, to be called by the click itself; whether there is anything to hear in it. */
export async function enqueue(
  { api, player }: Pick<App, 'api' | 'player'>,
  id: number,
  next: boolean,
): Promise<{ item: Item; heard: boolean }> {
  const asked = api.item(id).then((item) => ({ item, heard: heardFiles(item).length > 0 }));
  player.with((one, isWanted) => {
    asked.then(
      ({ item, heard }) => heard && one.add(item, null, next, isWanted),
      () => {}, // told to whoever asked
    );
  });
  return asked;
}
