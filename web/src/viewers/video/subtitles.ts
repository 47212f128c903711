/** Which subtitles a film starts with. */
import type { Subtitles } from '../../api/types';
import type { Wish } from './habits';

/** Such as were wished for; where nobody wished, or there are none such, the usual ones. */
export function wished(tracks: Subtitles[], wish: Wish, languages: readonly string[]): Subtitles | null {
  if (wish === 'none') return null;
  if (wish === null) return usual(tracks, languages);
  const { language } = wish;
  const near = tracks.filter((track) =>
    language === null || track.language === null
      ? track.label === wish.label
      : mainPart(track.language) === mainPart(language),
  );
  return (
    near.find((track) => track.label === wish.label && track.forced === wish.forced) ??
    near.find((track) => track.forced === wish.forced) ??
    usual(tracks, languages)
  );
}

/** Forced ones of a language that is read here, else those that say they are meant to be shown. */
export function usual(tracks: Subtitles[], languages: readonly string[]): Subtitles | null {
  const forced = tracks.filter((track) => track.forced);
  const read = languages.map(mainPart);
  const own = forced.find((track) => track.language !== null && read.includes(mainPart(track.language)));
  return own ?? tracks.find((track) => track.default && !track.embedded) ?? null;
}

/** Where a track is served with its styles; null where it has none. */
export function styledUrl({ url, formats }: Subtitles): string | null {
  return formats.includes('ass') ? url.replace(/\.vtt$/, '.ass') : null;
}

/** `de` of `de-AT` and of `deu`. */
function mainPart(tag: string): string {
  try {
    return new Intl.Locale(tag).language;
  } catch {
    return tag;
  }
}
