/** The current line of the lyrics. */
import { body, type ApiClient } from '../../api/client';
import type { Lyrics, LyricsLine } from '../../api/models';

export const fetchLyrics = ({ http }: ApiClient, id: number, signal?: AbortSignal) =>
  body(http.GET('/api/v1/kinds/audio/files/{id}/lyrics', { params: { path: { id } }, signal }));

/** Lines are highlighted a moment before they are sung. */
const AHEAD = 0.25;

/** Returns the line at `seconds`; -1 before the first. */
export function lineAt(lines: readonly LyricsLine[], seconds: number): number {
  return lines.findLastIndex((line) => line.start !== null && line.start <= seconds + AHEAD);
}

/** Returns the best lyrics, which are the first. */
export function best(all: readonly Lyrics[]): Lyrics | null {
  return all.find((one) => one.lines.length > 0) ?? null;
}
