/** Selects the subtitles of a film at its start. */
import type { Subtitles } from '../../../api/models';
import { mainPart } from '../saved/languages';
import type { SubtitleChoice } from '../saved/settings';
import { isPicture, type SubtitleTrack } from '../saved/subtitle-track';

/** Returns the track nearest to the user's choice; without a choice or a near track, the default one. */
export function preferredSubtitles(
  tracks: SubtitleTrack[],
  choice: SubtitleChoice,
  languages: readonly string[],
  spoken: string | null = null,
): SubtitleTrack | null {
  if (choice === 'none') return null;
  return similarSubtitles(tracks, choice) ?? defaultSubtitles(tracks, languages, spoken);
}

/** Returns the track that is similar to a choice for another file. */
export function similarSubtitles(tracks: SubtitleTrack[], choice: SubtitleChoice): SubtitleTrack | null {
  if (choice === 'none' || choice === null) return null;
  const { language } = choice;
  const near = tracks.filter((track) =>
    language === null || track.language === null
      ? track.label === choice.label
      : mainPart(track.language) === mainPart(language),
  );
  const alike = near.filter((track) => track.forced === choice.forced);
  const same = alike.filter((track) => isPicture(track) === (choice.picture === true));
  return same.find((track) => track.label === choice.label) ?? same[0] ?? alike[0] ?? null;
}

/**
 * Returns the forced track in a language of the user. A film in a foreign language (`spoken`) gets complete subtitles
 * in a language of the user, and any other the default track of the file.
 */
export function defaultSubtitles(
  tracks: SubtitleTrack[],
  languages: readonly string[],
  spoken: string | null = null,
): SubtitleTrack | null {
  const read = languages.map(mainPart);
  const isOf = (track: SubtitleTrack, language: string) => mainPart(track.language) === language;
  const forced = tracks.find((track) => track.forced && read.includes(mainPart(track.language)));
  if (forced) return forced;
  const speech = mainPart(spoken);
  if (speech !== '' && speech !== 'und' && !read.includes(speech)) {
    for (const language of read) {
      const own = tracks.filter((track) => !track.forced && isOf(track, language));
      const found = own.find((track) => !track.hearing_impaired) ?? own[0];
      if (found) return found;
    }
  }
  return tracks.find((track) => track.default && !track.embedded) ?? null;
}

/** Returns the address of a track with its styles; null if it has none. */
export function styledUrl({ url, formats }: Subtitles): string | null {
  return formats.includes('ass') ? url.replace(/\.vtt$/, '.ass') : null;
}
