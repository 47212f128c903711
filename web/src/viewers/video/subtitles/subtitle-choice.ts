/** Selects the subtitles of a film at its start. */
import type { Subtitles } from '../../../api/models';
import type { SubtitleChoice } from '../saved/settings';

/** Returns the track nearest to the user's choice; without a choice or a near track, the default one. */
export function preferredSubtitles(
  tracks: Subtitles[],
  choice: SubtitleChoice,
  languages: readonly string[],
): Subtitles | null {
  if (choice === 'none') return null;
  if (choice === null) return defaultSubtitles(tracks, languages);
  const { language } = choice;
  const near = tracks.filter((track) =>
    language === null || track.language === null
      ? track.label === choice.label
      : mainPart(track.language) === mainPart(language),
  );
  return (
    near.find((track) => track.label === choice.label && track.forced === choice.forced) ??
    near.find((track) => track.forced === choice.forced) ??
    defaultSubtitles(tracks, languages)
  );
}

/** Returns the forced track in a language of the user, otherwise the default track of the file. */
export function defaultSubtitles(tracks: Subtitles[], languages: readonly string[]): Subtitles | null {
  const forced = tracks.filter((track) => track.forced);
  const read = languages.map(mainPart);
  const own = forced.find((track) => track.language !== null && read.includes(mainPart(track.language)));
  return own ?? tracks.find((track) => track.default && !track.embedded) ?? null;
}

/** Returns the address of a track with its styles; null if it has none. */
export function styledUrl({ url, formats }: Subtitles): string | null {
  return formats.includes('ass') ? url.replace(/\.vtt$/, '.ass') : null;
}

/** Returns `de` for `de-AT` and for `deu`. */
function mainPart(tag: string): string {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag;
  }
}
