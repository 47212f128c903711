/** Which subtitles a film starts with. */
import type { Subtitles } from '../../api/types';

/** Forced ones of a language that is read here, else those that say they are meant to be shown. */
export function usual(tracks: Subtitles[], languages: readonly string[]): Subtitles | null {
  const forced = tracks.filter((track) => track.forced);
  const read = languages.map(mainPart);
  const own = forced.find((track) => track.language !== null && read.includes(mainPart(track.language)));
  return own ?? tracks.find((track) => track.default && !track.embedded) ?? null;
}

/** `de` of `de-AT` and of `deu`. */
function mainPart(tag: string): string {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag;
  }
}
