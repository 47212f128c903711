/** Files that this browser says it cannot play, before somebody tries. */
import type { MediaFile } from '../api/types';

let probe: HTMLAudioElement | undefined;

/**
 * Whether a file of sound is of a make that this browser has never heard of. What it answers about containers of film
 * is not to be relied on: some it plays although it says no.
 */
export function isHindered({ mime }: Pick<MediaFile, 'mime'>): boolean {
  if (!mime.startsWith('audio/') || mime.includes('matroska')) return false;
  probe ??= new Audio();
  return probe.canPlayType(mime) === '';
}
