/** Files that follow one another as one line of time, with the places in it that one can go to. */
import type { Item, MediaFile } from '../api/types';
import { t } from '../i18n';
import '../i18n/item';
import { fileTitle, queueFor } from './queue';

/** A chapter or a track. */
export interface Mark {
  /** Empty where only its number is known. */
  title: string;
  /** The file it begins in, by its place in the queue, and where in it. */
  index: number;
  from: number;
  /** The same place on the whole line. */
  start: number;
  length: number;
}

export interface Timeline {
  /** Where each file begins. */
  starts: readonly number[];
  length: number;
  marks: readonly Mark[];
}

type Part = Pick<MediaFile, 'name' | 'title' | 'duration' | 'extent' | 'chapters'>;

/** A seek lands a little before what was asked for. */
const BLUR = 0.05;

/** Whether the files are one long thing, rather than a sequence of short ones. */
export function isWhole(item: Pick<Item, 'facts'>): boolean {
  return item.facts.form === 'audiobook';
}

/**
 * The line of `parts`. What is one long thing has chapters, in a file or one a file; of anything else each file is a
 * mark, and a single file has its chapters. `lengths` are those that a player has measured.
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

/** The mark that runs at `seconds` of the file at `index`; -1 before the first. */
export function markAt({ marks }: Pick<Timeline, 'marks'>, index: number, seconds: number): number {
  return marks.findLastIndex(
    (mark) => mark.index < index || (mark.index === index && mark.from <= seconds + BLUR),
  );
}

/** The name of the chapter at a place on the whole line; empty where there is none. */
export function nameAt({ marks }: Pick<Timeline, 'marks'>, seconds: number): string {
  const index = marks.findLastIndex((mark) => mark.start <= seconds);
  const mark = marks[index];
  return mark ? nameOf(mark, index) : '';
}

/** The file that runs at a place on the whole line, and the place in it. */
export function locate({ starts, length }: Timeline, at: number): { index: number; seconds: number } {
  const place = Math.min(Math.max(0, at), length);
  const index = Math.max(
    0,
    starts.findLastIndex((start) => start <= place),
  );
  return { index, seconds: place - (starts[index] ?? 0) };
}

/** A mark's title, or its number where it has none. */
export function nameOf(mark: Pick<Mark, 'title'>, index: number): string {
  return mark.title || t('item.chapter', { n: index + 1 });
}

/** The number of the chapter at a place of what is one long thing. */
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
