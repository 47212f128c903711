/** The rows of a season: its episodes, and the ones that the library lacks. */
import type { AbsentEpisode, Episode, Item, MediaFile, Progress, Season } from '../../api/models';
import { fileTitle, versionKey } from '../../catalogue/file-order';
import { t } from '../../i18n';
import '../../i18n/lists/shows';
import { capital, dateText, episodeDate, episodeText, type Month } from '../../progress/episode-text';
import { codeOf } from '../../progress/episodes';

export interface EpisodeRow {
  episode: Episode;
  /** The file of the episode in the item's details; null if they are older. */
  file: MediaFile | null;
  /** All versions of the episode. */
  versions: readonly MediaFile[];
}

/** Consecutive numbers without an episode. */
export interface Gap {
  season: number;
  from: number;
  to: number;
}

/** A broadcast episode that the library lacks. */
export interface AbsentRow {
  absent: AbsentEpisode;
  /** The episodes of its season are numbered by date, but providers number them from 1. */
  isDated: boolean;
}

export type Row = EpisodeRow | AbsentRow | Gap;
export const isGap = (row: Row): row is Gap => 'from' in row;
export const isAbsent = (row: Row): row is AbsentRow => 'absent' in row;

/**
 * Returns the rows of a season. `absent` contains the known episodes without a file, of this season or of all. Other
 * numbers between the first and the last one are gaps, unless numbers are dates.
 */
export function rowsOf(
  item: Pick<Item, 'files'>,
  episodes: readonly Episode[],
  absent: readonly AbsentEpisode[] = [],
): Row[] {
  const files = new Map(item.files.map((file) => [file.id, file]));
  const season = episodes[0]?.season ?? null;
  const nameOfFile = (one: Episode) => files.get(one.file_id)?.name;
  const isDated = episodes.some((one) => episodeDate(season, one.episode, nameOfFile(one)) !== null);
  const open = absent
    .filter((one) => one.season === season)
    .map((one) => ({ absent: one, number: isDated ? dateNumber(one) : one.episode }))
    .toSorted((a, b) => a.number - b.number);
  const rows: Row[] = [];
  let last: number | null = null;
  /** Adds a gap up to a number, which is then the last one. */
  const step = (number: number, to = number) => {
    if (last !== null && number > last + 1 && !isDated)
      rows.push({ season: season ?? 0, from: last + 1, to: number - 1 });
    last = Math.max(last ?? 0, to);
  };
  /** Adds the absent episodes before a number. */
  const fill = (before: number) => {
    for (let next = open[0]; next !== undefined && next.number < before; next = open[0]) {
      open.shift();
      step(next.number);
      rows.push({ absent: next.absent, isDated });
    }
  };
  for (const episode of episodes) {
    const file = files.get(episode.file_id) ?? null;
    const number = episode.episode;
    if (number !== null) {
      fill(number);
      step(number, episode.last_episode ?? number);
    }
    rows.push({ episode, file, versions: versionsOf(item, episode, file) });
  }
  fill(Number.POSITIVE_INFINITY);
  return rows;
}

/** Returns the number by date of a broadcast: 105 for 5 January of the year that is the season. */
function dateNumber({ season, air_date: date }: AbsentEpisode): number {
  return Number(date.replaceAll('-', '')) - season * 10_000;
}

function versionsOf({ files }: Pick<Item, 'files'>, episode: Episode, file: MediaFile | null): MediaFile[] {
  if (file === null) return [];
  const key = versionKey({ ...episode, id: file.id });
  return files.filter((other) => versionKey(other) === key);
}

/** Returns the progress of an episode: that of its file, or of another version that is finished. */
export function placeOf(
  { episode, file }: EpisodeRow,
  known: (file: MediaFile) => Progress | null,
): Progress | null {
  const given = episode.progress;
  const own = file === null ? null : known(file);
  if (own === null || given === null) return own ?? given;
  if (given.file_id !== episode.file_id) return own.finished ? own : given;
  return own.updated_at >= given.updated_at ? own : given;
}

/** `Season 2`, `Specials` */
export function seasonName(season: number): string {
  return capital(episodeText(season, null));
}

/** `2 of 8`, `3` for unwatched specials. */
export function seasonCount({ season, finished, episodes }: Season): string {
  return season === 0 && finished === 0
    ? String(episodes)
    : t('show.watchedOf', { n: finished, of: episodes });
}

/** `S2 E4`, `S2 E4–S2 E6` */
export function gapName({ season, from, to }: Gap): string {
  const first = codeOf({ season, episode: from });
  return from === to ? first : t('show.range', { from: first, to: codeOf({ season, episode: to }) });
}

/** Returns the title of an episode; empty if its code says everything. */
export function titleOf({ episode, file }: EpisodeRow): string {
  if (episode.title !== null) return episode.title;
  return episode.episode === null && file !== null ? fileTitle(file) : '';
}

/** `S2 E3`; a date if the name of the file contains it. */
export function rowCode({ episode, file }: EpisodeRow, month: Month = 'long'): string {
  return codeOf({ ...episode, name: file?.name }, month);
}

/** The name of an episode in a sentence: `S2 E3, Slack Tide`. */
export function nameOf(row: EpisodeRow): string {
  return [rowCode(row), titleOf(row)].filter(Boolean).join(', ') || seasonName(row.episode.season);
}

/** `6 Mar 2025`; a date has no time zone. */
export function airDate(date: string | null, month: Month = 'short'): string {
  const time = date === null ? Number.NaN : Date.parse(date);
  return Number.isNaN(time) ? '' : dateText(new Date(time), month);
}

/** Returns the broadcast of an episode; empty if its code is that date. */
export function broadcastOf({ episode: { season, episode, air_date: date }, file }: EpisodeRow): string {
  const coded = episodeDate(season, episode, file?.name)?.toISOString().slice(0, 10);
  return coded === date ? '' : airDate(date);
}

/** The code of an episode without a file; its date between episodes that are numbered by date. */
export function absentCode({ absent, isDated }: AbsentRow, month: Month): string {
  return (isDated && airDate(absent.air_date, month)) || codeOf(absent);
}
