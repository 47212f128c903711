/** Names of periods: short ones for an axis, long ones for a table. */
import { addDays, mondayOf, toDate } from '../../api/reports/dates';
import type { Group } from '../../api/reports/period';
import { t } from '../../i18n';
import '../../i18n/lists/statistics';
import { format } from '../../i18n/locale';

export interface Label {
  short: string;
  long: string;
}

function dateText(date: string, options: Intl.DateTimeFormatOptions): string {
  return format(Intl.DateTimeFormat, { ...options, timeZone: 'UTC' }).format(toDate(date));
}

/** `Sunday, 1 November 2026`. */
export const longDay = (date: string) =>
  dateText(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
/** `Sunday, 1 November`. */
export const dayOfYear = (date: string) => dateText(date, { weekday: 'long', day: 'numeric', month: 'long' });
/** `1 November`. */
export const dayAndMonth = (date: string) => dateText(date, { day: 'numeric', month: 'long' });
/** `Nov`, for a month from 1 to 12. */
export const monthName = (month: number) =>
  dateText(`2026-${String(month).padStart(2, '0')}-01`, { month: 'short' });
/** `06:00`. */
export const hourText = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

export function labelOf(group: Group, key: string | number): Label {
  const text = String(key);
  if (group === 'day')
    return { short: dateText(text, { day: 'numeric', month: 'short' }), long: longDay(text) };
  if (group === 'week') {
    const monday = mondayOf(text);
    const [year = '', n = ''] = text.split('-W');
    return {
      short: dateText(monday, { day: 'numeric', month: 'short' }),
      long: `${t('stats.week', { n: String(Number(n)), year })} · ${dayAndMonth(monday)} – ${dayAndMonth(addDays(monday, 6))}`,
    };
  }
  if (group === 'month') {
    const first = `${text}-01`;
    return {
      short: dateText(first, { month: 'short', year: '2-digit' }),
      long: dateText(first, { month: 'long', year: 'numeric' }),
    };
  }
  return group === 'hour'
    ? { short: hourText(Number(key)), long: hourText(Number(key)) }
    : { short: text, long: text };
}
