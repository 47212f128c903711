/** The timeline of consecutive files, with chapters or tracks as marks. */
import type { Item, MediaFile } from '../api/models';
import { t } from '../i18n';
import '../i18n/details';
import { fileTitle, queueFor } from '../catalogue/file-order';

/** A chapter or a track. */
export interface Mark {
  /** Empty if only its number is known. */
  title: string;
  /** Index of its file in the queue, and its start in that file. */
  index: number;
  from: number;
  /** Its start on the whole timeline. */
  start: number;
  length: number;
}

export interface Timeline {
  /** Start of each file. */
  starts: readonly number[];
  length: number;
  marks: readonly Mark[];
}

type Part = Pick<MediaFile, 'name' | 'title' | 'duration' | 'extent' | 'chapters'>;

/** Tolerance, because a seek can end slightly before its target. */
const BLUR = 0.05;

/** True if the files form one long work, rather than a sequence of short ones. */
export function isWhole(item: Pick<Item, 'facts'>): boolean {
  return item.facts.form === 'audiobook';
}

/**
 * Returns the timeline of `parts`. A long work has chapters, or one chapter per file. Otherwise each file is a mark,
 * and a single file has its chapters. `lengths` contains the lengths that a player measured.
 */
export function timelineOf(
  parts: readonly Part[],
  whole: boolean,
  lengths: readonly (number | undefined)[] = [],
): Timeline {
  const starts: number[] = [];
  const marks: Omit<Mark, 'length'>[] = [];
  let length = 0;
  for (const [index, part] of parts.entries()) {
    starts.push(length);
    const start = length;
    if (part.chapters.length > 1 && (whole || parts.length === 1)) {
      for (const chapter of part.chapters)
        marks.push({ title: chapter.title, index, from: chapter.start, start: start + chapter.start });
    } else if (parts.length > 1) {
      marks.push({ title: fileTitle(part), index, from: 0, start });
    }
    length += lengths[index] ?? part.duration ?? part.extent ?? 0;
  }
  return {
    starts,
    length,
    marks: marks.map((mark, at) => ({ ...mark, length: lengthOf(marks, at, length) })),
  };
}

function lengthOf(marks: readonly { start: number }[], at: number, whole: number): number {
  return Math.max(0, (marks[at + 1]?.start ?? whole) - (marks[at]?.start ?? whole));
}

/** Returns the mark at `seconds` of the file at `index`; -1 before the first. */
export function markAt({ marks }: Pick<Timeline, 'marks'>, index: number, seconds: number): number {
  return marks.findLastIndex(
    (mark) => mark.index < index || (mark.index === index && mark.from <= seconds + BLUR),
  );
}

/** Returns the name of the chapter at a position on the timeline; empty without one. */
export function nameAt({ marks }: Pick<Timeline, 'marks'>, seconds: number): string {
  const index = marks.findLastIndex((mark) => mark.start <= seconds);
  const mark = marks[index];
  return mark ? nameOf(mark, index) : '';
}

/** Returns the file at a position on the timeline, and the position in it. */
export function locate({ starts, length }: Timeline, at: number): { index: number; seconds: number } {
  const place = Math.min(Math.max(0, at), length);
  const index = Math.max(
    0,
    starts.findLastIndex((start) => start <= place),
  );
  return { index, seconds: place - (starts[index] ?? 0) };
}

/** Returns the title of a mark, or its number. */
export function nameOf(mark: Pick<Mark, 'title'>, index: number): string {
  return mark.title || t('item.chapter', { n: index + 1 });
}

/** Returns the number of the chapter at a position of a long work. */
export function chapterOf(
  item: Pick<Item, 'files' | 'facts'>,
  file: MediaFile,
  seconds: number,
): number | null {
  if (!isWhole(item)) return null;
  const parts = queueFor(item, file);
  const mark = markAt(timelineOf(parts, true), parts.indexOf(file), seconds);
  return mark < 0 ? null : mark + 1;
}
