/** Consecutive files of an item. */
import type { Item, MediaFile } from '../api/models';

/** Returns the files to play after the choice of `file`: all parts, or only the file if it is an alternative. */
export function queueFor(item: Pick<Item, 'files'>, file: MediaFile): MediaFile[] {
  const playable = item.files.filter((other) => !other.missing && other.viewer === file.viewer);
  if (sequenceOf(file) === null) return [file];
  return playable.filter((other) => sequenceOf(other) !== null);
}

export function sequenceOf(file: MediaFile): number | null {
  return file.part ?? file.episode;
}

export function fileTitle(file: Pick<MediaFile, 'name' | 'title'>): string {
  return file.title ?? file.name.replace(/\.[^.]+$/, '');
}
