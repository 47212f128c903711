/** What a slot holds and held, newest first, each with the picture that was taken with it. */
import type { ApiClient } from '../../api/client';
import type { Item } from '../../api/types';
import { readSave, saveVersions } from './remote';
import { BATTERY, pictureOf, type SlotShelf } from './shelf.svelte';
import { unpack } from './pack';

export interface Version {
  /** Null for what is in the slot now. */
  n: number | null;
  at: string;
  size: number;
  core: string | null;
  /** Whether it is the very same as what is in the slot now. */
  isSame: boolean;
  /** Which version of the picture's own slot belongs to it, null for the newest; undefined where none does. */
  picture: number | null | undefined;
}

/** A state's picture is saved right after it; what lies further apart does not belong together. */
const APART = 60_000;

export async function versionsOf(
  api: ApiClient,
  item: number,
  shelf: Pick<SlotShelf, 'slot'>,
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

/** The bytes as the core wrote them, for this device's own folders and other programs. */
export async function exported(
  api: ApiClient,
  item: Pick<Item, 'id' | 'title'>,
  shelf: Pick<SlotShelf, 'read'>,
  slot: string,
  { n, at }: Pick<Version, 'n' | 'at'>,
): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }> {
  const bytes = n === null ? await shelf.read(slot) : await unpack(await readSave(api, item.id, slot, n));
  const when = at.slice(0, 16).replace('T', ' ').replace(':', '.');
  const title = item.title.replace(/[\\/:*?"<>|\r\n]/g, '_');
  const extension = slot === BATTERY ? 'srm' : 'state';
  return { name: `${title} - ${slot} - ${when}.${extension}`, bytes: bytes ?? new Uint8Array(0) };
}
