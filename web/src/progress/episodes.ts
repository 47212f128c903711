/** The episodes of a series: their names and their count. */
import type { MediaFile } from '../api/models';
import { fileTitle } from '../catalogue/file-order';
import { capital, episodeDate, episodeText, type Month } from './episode-text';

/** The numbers of an episode, or of a file of several episodes. */
type Numbers = Pick<MediaFile, 'season' | 'episode'> & Partial<Pick<MediaFile, 'last_episode' | 'name'>>;

/** `S2 E3`, `S2 E3–4`, `5 January 2023`; empty for a file without a number. */
export function codeOf({ season, episode, name, ...more }: Numbers, month: Month = 'long'): string {
  if (episode === null) return '';
  const code = capital(episodeText(season, episode, name, month));
  const isRange = more.last_episode != null && !episodeDate(season, episode, name);
  return isRange ? `${code}–${more.last_episode}` : code;
}

/** The name of a file in the player: `S2 E4 · Low Water`, `S2 E4`, otherwise its title. */
export function partName(file: Pick<MediaFile, 'name' | 'title'> & Numbers): string {
  if (file.episode === null) return fileTitle(file);
  return [codeOf(file), file.title].filter(Boolean).join(' · ');
}

/**
 * Counts episodes as the server does in a season: each of a file of several, and versions of one episode once. A file
 * without a number counts as one.
 */
export function episodeCount(files: readonly Numbers[]): number {
  const found = new Set<Numbers | string>(
    files.flatMap((file): (Numbers | string)[] => {
      const { season, episode, last_episode: last } = file;
      if (episode === null) return [file];
      const count = Math.max(0, (last ?? episode) - episode) + 1;
      return Array.from({ length: count }, (_, at) => `${season} ${episode + at}`);
    }),
  );
  return found.size;
}
