/** Parts of the pages of lists that load after the first content, or at their first use. */
import type { Collection, Playlist } from '../../api/models';
import { LazyComponent } from '../../app/lazy-component.svelte';
import { translations } from '../../i18n';

export const playlistEntries = new LazyComponent<{ playlist: Playlist; onplay: (index: number) => void }>(
  () => import('./entries/PlaylistEntries.svelte'),
);

export const collectionItems = new LazyComponent<{
  collection: Collection;
  order: { sort: string; order: string } | null;
}>(() => import('./entries/CollectionItems.svelte'));

/** Loads the dialog that creates or edits a list. */
export async function loadListForm(): Promise<typeof import('./ListForm.svelte').default> {
  const { default: Form } = await import('./ListForm.svelte');
  await translations();
  return Form;
}

/** Loads the dialog that deletes a list. */
export async function loadDeletion(): Promise<typeof import('./DeleteList.svelte').default> {
  const { default: Deletion } = await import('./DeleteList.svelte');
  await translations();
  return Deletion;
}
