/** Consecutive files of an item, and the versions of its episodes. */
import type { Item, MediaFile } from '../api/models';

/**
 * Returns the files to play after the choice of `file`: all parts, or only the file if it is an alternative. Of the
 * versions of an episode, only the chosen one plays, otherwise the first.
 */
export function queueFor(item: Pick<Item, 'files'>, file: MediaFile): MediaFile[] {
  if (sequenceOf(file) === null) return [file];
  const queued = new Map([[versionKey(file), file.id]]);
  return item.files.filter((other) => {
    if (other.missing || other.viewer !== file.viewer || sequenceOf(other) === null) return false;
    const key = versionKey(other);
    if (!queued.has(key)) queued.set(key, other.id);
    return queued.get(key) === other.id;
  });
}

/** Returns a key that versions of one episode share, as the server merges them. */
export function versionKey({ id, season, episode }: Pick<MediaFile, 'id' | 'season' | 'episode'>): string {
  return season == null || episode == null ? `${id}` : `${season} ${episode}`;
}

export function sequenceOf(file: MediaFile): number | null {
  return file.part ?? file.episode;
}

export function fileTitle(file: Pick<MediaFile, 'name' | 'title'>): string {
  return file.title ?? file.name.replace(/\.[^.]+$/, '');
}
