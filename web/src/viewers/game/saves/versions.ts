/** The present and earlier contents of a slot, newest first, each with its picture. */
import type { ApiClient } from '../../../api/client';
import type { Item } from '../../../api/models';
import { readSave, saveVersions } from './requests';
import { BATTERY, pictureOf, type SaveSlots } from './slots.svelte';
import { gunzip } from './gzip';

export interface Version {
  /** Null for the present content. */
  n: number | null;
  at: string;
  size: number;
  core: string | null;
  /** True if it equals the present content. */
  isSame: boolean;
  /** The matching version of the picture's slot: null for the newest, undefined without one. */
  picture: number | null | undefined;
}

/** A state's picture is saved right after it; a larger difference means that they do not belong together. */
const APART = 60_000;

export async function versionsOf(
  api: ApiClient,
  item: number,
  shelf: Pick<SaveSlots, 'slot'>,
  slot: string,
  signal: AbortSignal,
): Promise<Version[]> {
  const [states, pictures] = await Promise.all([
    saveVersions(api, item, slot, signal),
    saveVersions(api, item, pictureOf(slot), signal),
  ]);
  const shots: { n: number | null; at: string }[] = pictures.map(({ n, saved_at: at }) => ({ n, at }));
  const newest = shelf.slot(pictureOf(slot));
  if (newest) shots.unshift({ n: null, at: newest.at });
  const now = shelf.slot(slot);
  const before = states.map(({ n, saved_at: at, size, core, sha256 }) => ({
    ...{ n, at, size, core },
    ...{ isSame: sha256 === now?.mark, picture: nearest(at, shots) },
  }));
  if (!now) return before;
  const { at, core, size } = now;
  return [{ n: null, at, size, core, isSame: true, picture: nearest(at, shots) }, ...before];
}

function nearest(at: string, shots: readonly { n: number | null; at: string }[]): number | null | undefined {
  const far = (shot: { at: string }) => Math.abs(Date.parse(shot.at) - Date.parse(at));
  const [best] = shots.filter((shot) => far(shot) <= APART).toSorted((a, b) => far(a) - far(b));
  return best?.n;
}

/** Returns the bytes as the core wrote them, for other programs. */
export async function exportedSave(
  api: ApiClient,
  item: Pick<Item, 'id' | 'title'>,
  shelf: Pick<SaveSlots, 'read'>,
  slot: string,
  { n, at }: Pick<Version, 'n' | 'at'>,
): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = n === null ? await shelf.read(slot) : await gunzip(await readSave(api, item.id, slot, n));
  const when = at.slice(0, 16).replace('T', ' ').replace(':', '.');
  const title = item.title.replace(/[\\/:*?"<>|\r\n]/g, '_');
  const extension = slot === BATTERY ? 'srm' : 'state';
  return { name: `${title} - ${slot} - ${when}.${extension}`, bytes: bytes ?? new Uint8Array(0) };
}
