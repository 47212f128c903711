/** The file of an item with which a user continues, as the server describes it on the Continue shelf. */
import type { ContinueFile, Item, MediaFile, Progress } from '../api/models';

/** Tolerance, because a seek can end slightly before its target. */
const TOLERANCE = 0.05;

export function describeFile(
  item: Pick<Item, 'files'>,
  file: MediaFile,
  place: Pick<Progress, 'position'> | null,
): ContinueFile {
  const position = place?.position ?? 0;
  const { unit, season, episode } = file;
  const isPart = file.part !== null && season === null && episode === null;
  const parts = isPart ? item.files.filter((one) => one.part !== null && !one.missing) : [];
  const at = parts.indexOf(file);
  const left = file.extent === null ? null : Math.max(0, file.extent - position);
  const later = at < 0 ? [] : parts.slice(at + 1).map((one) => one.extent);
  const isKnown = left !== null && season === null && !later.includes(null);
  return {
    name: file.name,
    unit,
    season,
    episode,
    part: at < 0 ? null : at + 1,
    parts: at < 0 ? null : parts.length,
    chapter: chapterAt(at < 0 ? [file] : parts, file, position),
    left,
    item_left: isKnown ? later.reduce<number>((sum, length) => sum + (length ?? 0), left) : null,
  };
}

/** The chapter at a position; a part without chapters counts as one. */
function chapterAt(parts: readonly MediaFile[], file: MediaFile, position: number): ContinueFile['chapter'] {
  const at = parts.indexOf(file);
  const marks = (some: readonly MediaFile[]) =>
    some.reduce((sum, part) => sum + Math.max(1, part.chapters.length), 0);
  const [before, count] = [marks(parts.slice(0, at)), marks(parts)];
  if (count < 2) return null;
  if (file.chapters.length === 0) return { number: before + 1, count, title: '' };
  const index = file.chapters.findLastIndex((chapter) => chapter.start <= position + TOLERANCE);
  const chapter = file.chapters[index];
  return chapter ? { number: before + index + 1, count, title: chapter.title } : null;
}
