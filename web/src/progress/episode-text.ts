/** Seasons and episodes in the text of a position: `S2 E3`, `5 Jan 2023`. */
import { t } from '../i18n';
import { format, locale } from '../i18n/locale';

/** The form of a date: short in narrow places. */
export type Month = 'short' | 'long';

/** The first season that is a year. */
const FIRST_YEAR = 1900;

export const capital = (text: string) => text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);

/** Returns the date of an episode that is numbered by it: the year is the season, and 105 is 5 January. */
export function episodeDate(season: number | null, episode: number | null): Date | null {
  if (season === null || season < FIRST_YEAR || episode === null) return null;
  const [month, day] = [Math.floor(episode / 100), episode % 100];
  const date = new Date(Date.UTC(season, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? date : null;
}

/** `5 Jan 2023`, `5 January 2023`; a date has no time zone. */
export function dateText(date: Date, month: Month): string {
  return format(Intl.DateTimeFormat, { day: 'numeric', month, year: 'numeric', timeZone: 'UTC' }).format(
    date,
  );
}

/** `S2 E3`, or a date; season 0 contains the specials. Numbers are names here, and have no separators. */
export function episodeText(season: number | null, episode: number | null, month: Month = 'short'): string {
  const [s, e] = [String(season ?? 1), String(episode)];
  if (season === 0) return episode === null ? t('place.specials') : t('place.special', { n: e });
  if (episode === null) return t('place.season', { n: s });
  const date = episodeDate(season, episode);
  if (date) return dateText(date, month);
  return season === null ? t('place.episodeAlone', { n: e }) : t('place.episode', { season: s, episode: e });
}
