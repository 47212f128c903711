/** Formats numbers, sizes, durations and dates. */
import { format, locale } from './locale';

export function count(value: number): string {
  return format(Intl.NumberFormat).format(value);
}

/** `1.4 MB`: powers of a thousand, as file managers show them. */
export function bytes(size: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = size;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const name = locale() !== 'en' ? 'Byte' : size === 1 ? 'byte' : 'bytes';
  const text =
    value < 10 && unit > 0
      ? format(Intl.NumberFormat, { maximumFractionDigits: 1 }).format(value)
      : count(Math.round(value));
  return `${text} ${unit === 0 ? name : units[unit]}`;
}

/** The name of a language by its tag; the tag itself if it names none. */
export function languageName(tag: string): string {
  try {
    return format(Intl.DisplayNames, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** A position on a timeline: `9:40`, `1:02:05`. */
export function clock(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return '0:00';
  const total = Math.floor(seconds);
  const s = String(total % 60).padStart(2, '0');
  const minutes = Math.floor(total / 60);
  const hours = Math.floor(minutes / 60);
  if (hours === 0) return `${minutes}:${s}`;
  return `${hours}:${String(minutes % 60).padStart(2, '0')}:${s}`;
}

/** A length in words: `24 h 37 min`, `4 min`, `38 s`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const rest = minutes % 60;
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

/** A year: `1815`, `380 BC` for -380. */
export function yearText(year: number): string {
  if (year >= 0) return String(year);
  // Dates count a year 0; calendars do not.
  return format(Intl.DateTimeFormat, { year: 'numeric', era: 'short' }).format(
    new Date(0).setUTCFullYear(year + 1, 6),
  );
}

/** A day: `12 March`, with the year unless it is the current one. */
export function day(timestamp: string, now: Date = new Date()): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return '';
  const sameYear = date.getFullYear() === now.getFullYear();
  return format(Intl.DateTimeFormat, {
    day: 'numeric',
    month: 'long',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(date);
}

/** A day as a heading: `Today`, `Yesterday`, `12 March`. */
export function dayName(timestamp: string, now: Date = new Date()): string {
  const name = day(timestamp, now);
  const back = [0, 1].find((days) => {
    const then = new Date(now);
    then.setDate(then.getDate() - days);
    return name !== '' && day(then.toISOString(), now) === name;
  });
  if (back === undefined) return name;
  const text = relative().format(-back, 'day');
  return text.charAt(0).toLocaleUpperCase(locale()) + text.slice(1);
}

const relative = () => format(Intl.RelativeTimeFormat, { numeric: 'auto' });
const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['minute', 60],
  ['hour', 3600],
  ['day', 86_400],
];

/** Time ago, up to a month; then the day. */
export function ago(timestamp: string, now: Date = new Date()): string {
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return '';
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const size = Math.abs(seconds);
  if (size < 60) return relative().format(Math.round(seconds), 'second');
  if (size > 30 * 86_400) return day(timestamp, now);
  const [unit, length] = steps.findLast(([, floor]) => size >= floor) ?? ['minute', 60];
  return relative().format(Math.trunc(seconds / length), unit);
}
