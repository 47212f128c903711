/** Sends game saves that were stored while the server was unreachable, at the next start of the page. */
import type { ApiClient } from '../../../api/client';
import { storage } from '../../../lib/env';
import { unsentSaves, WAITING } from './unsent-saves';
import { SaveSlots } from './slots.svelte';

export async function flushSaves(api: ApiClient, user: number): Promise<void> {
  const items = new Set((await unsentSaves(user)).map((save) => save.item));
  for (const item of items) {
    // A deleted game must not block the others.
    await new SaveSlots(api, user, item).open(AbortSignal.timeout(60_000)).catch(() => {});
  }
  if ((await unsentSaves(user)).length === 0) storage.set(WAITING, '');
}
