/** Texts of rates, of times since a start, and of bytes per hour. */
import { t } from '../../../i18n';
import '../../../i18n/settings/dashboard';
import { count, span } from '../../../i18n/format';
import { format } from '../../../i18n/locale';

/** Bytes per second as `14.2 Mbit/s`. */
export function rateText(bytesPerSecond: number): string {
  const megabits = (bytesPerSecond * 8) / 1_000_000;
  const digits = megabits >= 100 ? 0 : 1;
  return `${format(Intl.NumberFormat, { maximumFractionDigits: digits }).format(megabits)} Mbit/s`;
}

/** Time since a start: `38 min`, `1 h 4 min`; less than a minute is `just now`. */
export function sinceText(start: string, now: number): string {
  const seconds = (now - Date.parse(start)) / 1000;
  return seconds < 60 ? t('dash.now') : span(seconds);
}

/** The two largest units of an uptime: `12 days, 4 hours`. */
export function uptimeText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const parts =
    days > 0
      ? [t('dash.days', { count: days }), t('dash.hours', { count: hours % 24 })]
      : hours > 0
        ? [t('dash.hours', { count: hours }), t('dash.minutes', { count: minutes % 60 })]
        : [t('dash.minutes', { count: minutes })];
  return parts.join(', ');
}

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** The unit in which the largest of some sizes has at most three digits, and its number of bytes. */
export function unitOf(max: number): { name: (typeof UNITS)[number]; bytes: number } {
  const power = max < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(max) / 3));
  return { name: UNITS[power] ?? 'bytes', bytes: 1000 ** power };
}

/** A tick of an axis in a unit. */
export function tickText(value: number, unit: number): string {
  return count(Math.round((value / unit) * 100) / 100);
}

/** Names of the last 24 hours, up to the current one: `14:00`. */
export function hourNames(now: number, hours: number): string[] {
  const hour = new Date(now).getHours();
  return Array.from({ length: hours }, (_, at) => {
    const named = (((hour - (hours - 1 - at)) % 24) + 24) % 24;
    return `${String(named).padStart(2, '0')}:00`;
  });
}
