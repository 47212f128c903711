/** Audio files of an item. */
import type { Item, MediaFile } from '../api/models';
import { viewerTraits } from './viewer-ids';

/** Returns the audio files of an item. */
export function audioFiles(item: Pick<Item, 'files'>): MediaFile[] {
  return item.files.filter((file) => !file.missing && viewerTraits(file.viewer).background);
}

/** Returns the files of an item that a queue can contain: audio and films. */
export function playedFiles(item: Pick<Item, 'files'>): MediaFile[] {
  return item.files.filter((file) => !file.missing && viewerTraits(file.viewer).streams);
}
