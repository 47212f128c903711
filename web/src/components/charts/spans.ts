/** Texts of times, short enough for charts and totals. */
import { count, span } from '../../i18n/format';
import { format } from '../../i18n/locale';

const HOUR = 3600;
/** Time from which minutes are omitted, in seconds. */
const LONG = 10 * HOUR;

/** `412 h`, `6 h 12 min`, `4 min`. */
export function timeText(seconds: number): string {
  if (seconds === 0) return '0 min';
  return seconds >= LONG ? `${count(Math.round(seconds / HOUR))} h` : span(seconds);
}

/** A total as a number and its unit. */
export function timeParts(seconds: number): { value: string; unit: string } {
  if (seconds < HOUR) return { value: count(Math.round(seconds / 60)), unit: 'min' };
  return { value: decimal(seconds < LONG ? seconds / HOUR : Math.round(seconds / HOUR)), unit: 'h' };
}

/** A tick of an axis whose ticks are `step` seconds apart. */
export function timeTick(seconds: number, step: number): string {
  if (seconds === 0) return '0';
  if (step >= HOUR / 2) return `${decimal(seconds / HOUR)} h`;
  return step >= 60 ? `${count(seconds / 60)} min` : `${count(seconds)} s`;
}

function decimal(value: number): string {
  return format(Intl.NumberFormat, { maximumFractionDigits: 1 }).format(value);
}
