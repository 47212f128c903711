/** Sends what games saved while the server did not answer, when the page is opened the next time. */
import type { ApiClient } from '../../api/client';
import { storage } from '../../lib/env';
import { keptSaves, WAITING } from './kept';
import { SlotShelf } from './shelf.svelte';

export async function flushSaves(api: ApiClient, user: number): Promise<void> {
  const items = new Set((await keptSaves(user)).map((save) => save.item));
  for (const item of items) {
    // A game that is gone shall not keep the others from being sent.
    await new SlotShelf(api, user, item).open(AbortSignal.timeout(60_000)).catch(() => {});
  }
  if ((await keptSaves(user)).length === 0) storage.set(WAITING, '');
}
