/** Continues in another form of the same title, at the position that corresponds to the progress in the first. */
import type { Card, Item, MediaFile } from '../api/models';
import { handover } from '../api/requests/works';
import { hasAudio, openPath, viewerTraits } from '../catalogue/viewer-ids';
import { firstOf } from '../progress/resume';
import type { App } from './context';

export interface Destination {
  item: Item;
  file: MediaFile;
  /** In the file's unit. Null without progress: the form opens as usual. */
  position: number | null;
  within: number | null;
  /** Share of the whole before the position, 0 to 1. */
  fraction: number | null;
  /** True if the chapters do not match, so that the position is only an estimate. */
  isEstimate: boolean;
}

type Kinds = Pick<App['kinds'], 'describe'>;

/** Returns true if the items of a kind are recordings. */
export const isRecording = (kinds: Kinds, kind: string): boolean => hasAudio(kinds.describe(kind));

function isText(kinds: Kinds, kind: string): boolean {
  const { unit } = kinds.describe(kind);
  return unit === 'page' || unit === 'section';
}

/** Returns the recordings of a text, or the texts of a recording. */
export function counterparts(item: Pick<Item, 'id' | 'kind' | 'work'>, kinds: Kinds): Card[] {
  const isCounterpart = isRecording(kinds, item.kind) ? isText : isRecording;
  if (isCounterpart === isRecording && !isText(kinds, item.kind)) return [];
  return (item.work?.items ?? []).filter(
    (form) => form.id !== item.id && !form.missing && isCounterpart(kinds, form.kind),
  );
}

/**
 * Returns the corresponding position in the form `to`. Positions that were not sent yet are sent first. Without a
 * playable file, it is null.
 */
export async function findDestination(
  { api, progressStore }: Pick<App, 'api' | 'progressStore'>,
  from: Pick<Item, 'id'>,
  to: number,
): Promise<Destination | null> {
  await progressStore.settle();
  const [item, place] = await Promise.all([api.item(to), handover(api, from.id, to)]);
  const found = item.files.find((file) => file.id === place.file_id && !file.missing);
  const file = found ?? firstOf(item);
  if (!file) return null;
  return {
    ...{ item, file },
    position: found ? place.position : null,
    within: found ? place.within : null,
    fraction: place.fraction,
    isEstimate: found !== undefined && place.method === 'fraction',
  };
}

/** Opens the viewer of a destination. A recording plays on the page of its item. */
export function goTo(
  app: Pick<App, 'player' | 'router'>,
  { item, file, position, within }: Destination,
): void {
  const { player, router } = app;
  if (viewerTraits(file.viewer).background) {
    player.play(item, file, position ?? undefined);
    router.navigate(`/items/${item.id}`);
    return;
  }
  const query = new URLSearchParams();
  if (position !== null) query.set('at', String(position));
  if (position !== null && within !== null) query.set('within', String(within));
  const text = query.toString();
  router.navigate(openPath(item, file) + (text === '' ? '' : `?${text}`));
}
