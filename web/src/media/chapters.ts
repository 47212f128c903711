/** Where in its chapters a file is. */
import type { Chapter } from '../api/types';

/** The chapter that runs at `seconds`; -1 before the first. */
export function chapterAt(chapters: readonly Chapter[], seconds: number): number {
  return chapters.findLastIndex((chapter) => chapter.start <= seconds);
}
