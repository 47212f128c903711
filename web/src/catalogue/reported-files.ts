/** Detects files that this browser reports as unplayable, before a user tries them. */
import type { MediaFile } from '../api/models';

let probe: HTMLAudioElement | undefined;

/**
 * Returns true for an audio file of a type that this browser does not know. Video containers are not checked, because
 * browsers also play some that they report as unsupported.
 */
export function isReportedUnplayable({ mime }: Pick<MediaFile, 'mime'>): boolean {
  if (!mime.startsWith('audio/') || mime.includes('matroska')) return false;
  probe ??= new Audio();
  return probe.canPlayType(mime) === '';
}
