/** Parts of the pages of lists that load after the first content, or at their first use. */
import type { Collection, Playlist } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';
import { translations } from '../../i18n';

export const playlistEntries = new LazyComponent<{ playlist: Playlist; onplay: (index: number) => void }>(
  () => import('./entries/PlaylistEntries.svelte'),
);

export const collectionActions = new LazyComponent<{ collection: Collection }>(
  () => import('./CollectionActions.svelte'),
);

export const collectionItems = new LazyComponent<{
  collection: Collection;
  order: { sort: string; order: string } | null;
}>(() => import('./entries/CollectionItems.svelte'));

/** Loads the dialogs about a list. */
export async function loadListDialog(): Promise<typeof import('./ListDialog.svelte').default> {
  const { default: Dialog } = await import('./ListDialog.svelte');
  await translations();
  return Dialog;
}
