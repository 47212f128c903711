/** Text for the position at which a user continues: `S2 E3 · 12 min left`, `Chapter 4 · 2 h 10 min left`. */
import type { ContinueFile, PartName, Progress } from '../api/models';
import { t } from '../i18n';
import { span } from '../i18n/format';
import { capital, episodeText } from './episode-text';
import { percent, placeText } from './resume';

/** Returns the text of a card. `share` is the finished share of the whole item. */
export function continueText(
  file: ContinueFile,
  place: Progress | null,
  share: number | null,
  part: PartName,
): string {
  if (place?.finished) return t('place.finished');
  const what = partText(file, part);
  // A long work continues in its next chapter; otherwise the next part starts.
  if (place === null && part !== 'chapter')
    return what === '' ? t('place.next') : t('place.nextIs', { what });
  return capital(whereText(file, place, share, part));
}

/** Returns the part and the rest of it, for the middle of a sentence; empty if unknown. */
export function whereText(
  file: ContinueFile,
  place: Progress | null,
  share: number | null,
  part: PartName,
): string {
  return [partText(file, part), restText(file, place, share, part)].filter(Boolean).join(' · ');
}

/** `S2 E3`, `chapter 4`, `track 7 of 32`; empty for an item of one file without chapters. */
export function partText(file: ContinueFile, part: PartName): string {
  const { season, episode, chapter, parts, unit } = file;
  if (season !== null || episode !== null) return episodeText(season, episode, file.name);
  if (chapter && part === 'chapter') return t('place.chapter', { n: chapter.number });
  if (chapter && unit !== 'second') return chapter.title || t('place.chapter', { n: chapter.number });
  if (file.part === null || parts === null || parts < 2) return '';
  const key = ({ chapter: 'place.chapter', track: 'place.track' } as const)[part as 'chapter' | 'track'];
  return t(key ?? 'place.part', { n: file.part, of: parts });
}

function restText(file: ContinueFile, place: Progress | null, share: number | null, part: PartName): string {
  if (file.unit === 'second') {
    // For an album the track is sufficient.
    if (part === 'track' && file.parts !== null && file.parts > 1) return '';
    const left = file.part === null ? file.left : file.item_left;
    if (left !== null) return t('place.left', { span: span(left) });
  }
  if (file.unit === 'page' && place) return placeText(place, file.unit);
  if (share !== null && place) return percent(share);
  return place ? placeText(place, file.unit) : '';
}
