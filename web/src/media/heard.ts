/** Files that are heard rather than read, watched or played. */
import type { Item, MediaFile } from '../api/types';
import { viewerFor } from '../viewers/registry';

/** The files of an item that are heard. */
export function heardFiles(item: Pick<Item, 'files'>): MediaFile[] {
  return item.files.filter((file) => !file.missing && viewerFor(file.viewer).on === 'background');
}
