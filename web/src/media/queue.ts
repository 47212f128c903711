/** Which files of an item follow one another. */
import type { Item, MediaFile } from '../api/types';

/** The files that play after one another when `file` is chosen: all parts, or the file alone where it is an alternative. */
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
