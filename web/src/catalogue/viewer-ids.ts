/** Properties of the viewers by the names that the server gives them. */
import type { Item, MediaFile, MediaType } from '../api/models';

interface ViewerTraits {
  /** True if it plays in the background and has no page. */
  background?: boolean;
  /** True if the browser's own engine plays the files; it can lack a codec. */
  streams?: boolean;
  /** True if it stores saves. */
  saves?: boolean;
}

const traits = {
  comic: {},
  epub: {},
  pdf: {},
  game: { saves: true },
  audio: { background: true, streams: true },
  video: { streams: true },
} as const satisfies Record<string, ViewerTraits>;

/** Viewers with a page. */
export type PageViewer = Exclude<keyof typeof traits, 'audio'>;

export function viewerTraits(id: string): ViewerTraits {
  return canOpen(id) ? traits[id as keyof typeof traits] : {};
}

/** Returns true if a viewer exists for the name. Other files can only be downloaded. */
export function canOpen(id: string): boolean {
  return Object.hasOwn(traits, id);
}

/** Returns true if the browser's own engine plays the files of a kind. */
export function streams(kind: MediaType): boolean {
  return Object.values(kind.viewers).some((id) => viewerTraits(id).streams);
}

/** Returns true if the kind has audio files: only those can be queued. */
export function hasAudio(kind: Pick<MediaType, 'viewers'>): boolean {
  return Object.values(kind.viewers).some((id) => viewerTraits(id).background);
}

export function openPath(item: Pick<Item, 'id'>, file: Pick<MediaFile, 'id'>): string {
  return `/items/${item.id}/open/${file.id}`;
}
