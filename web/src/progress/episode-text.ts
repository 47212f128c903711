/** Seasons and episodes in the text of a position: `S2 E3`; dates of daily episodes: `5 Jan 2023`. */
import { t } from '../i18n';
import { format, locale } from '../i18n/locale';

/** The form of a date: short in narrow places. */
export type Month = 'short' | 'long';

export const capital = (text: string) => text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);

/**
 * Returns the date of an episode that is numbered by it: the year is the season, and 105 is 5 January. The name of its
 * file contains the date: another season can be a year, too, with episodes from 1.
 */
export function episodeDate(season: number | null, episode: number | null, name = ''): Date | null {
  const [, year, month, day] = /(\d{4})[-._ ]?(\d\d)[-._ ]?(\d\d)/.exec(name) ?? [];
  const date = new Date(`${year}-${month}-${day}`);
  const isNumber = Number(year) === season && Number(`${month}${day}`) === episode;
  return isNumber && date.getUTCDate() === Number(day) ? date : null;
}

/** `5 Jan 2023`, `5 January 2023`; a date has no time zone. */
export function dateText(date: Date, month: Month): string {
  return format(Intl.DateTimeFormat, { day: 'numeric', month, year: 'numeric', timeZone: 'UTC' }).format(
    date,
  );
}

/** `S2 E3`, or a date; season 0 contains the specials. Numbers are names here, and have no separators. */
export function episodeText(
  season: number | null,
  episode: number | null,
  name?: string,
  month: Month = 'short',
): string {
  const date = episodeDate(season, episode, name);
  if (date) return dateText(date, month);
  const [s, e] = [String(season ?? 1), String(episode)];
  if (season === 0) return episode === null ? t('place.specials') : t('place.special', { n: e });
  if (episode === null) return t('place.season', { n: s });
  return season === null ? t('place.episodeAlone', { n: e }) : t('place.episode', { season: s, episode: e });
}
