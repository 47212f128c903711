/** Where in its words a song is. */
import type { Lyrics, LyricsLine } from '../api/types';

/** Lines are read a moment before they are sung. */
const AHEAD = 0.25;

/** The line that is sung at `seconds`; -1 before the first. */
export function lineAt(lines: readonly LyricsLine[], seconds: number): number {
  return lines.findLastIndex((line) => line.start !== null && line.start <= seconds + AHEAD);
}

/** The best of what there is, which stands first. */
export function best(all: readonly Lyrics[]): Lyrics | null {
  return all.find((one) => one.lines.length > 0) ?? null;
}
