/** Calendar days as text, `2026-11-20`, without a time of day. */

const DAY = 86_400_000;
const FORM = /^\d{4}-\d{2}-\d{2}$/;

const at = (date: string) => Date.parse(`${date}T00:00:00Z`);
const dateAt = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Returns true for an existing day from the year 1 to the year 9998. */
export function isDate(text: string): boolean {
  if (!FORM.test(text) || Number.isNaN(at(text))) return false;
  return dateAt(at(text)) === text && text >= '0001-01-01' && text <= '9998-12-31';
}

/** Returns the day of a time in the zone of the browser. */
export function localDate(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

export function addDays(date: string, days: number): string {
  return dateAt(at(date) + days * DAY);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((at(to) - at(from)) / DAY);
}

/** Returns the day of the week: 0 is Monday. */
export function weekday(date: string): number {
  return (new Date(at(date)).getUTCDay() + 6) % 7;
}

/** Returns the ISO 8601 week, `2026-W47`. The year is that of the week's Thursday. */
export function isoWeek(date: string): string {
  const thursday = addDays(date, 3 - weekday(date));
  const year = thursday.slice(0, 4);
  const week = Math.floor(daysBetween(`${year}-01-01`, thursday) / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/** Returns the Monday of an ISO week. */
export function mondayOf(week: string): string {
  const [year = '', number = ''] = week.split('-W');
  const fourth = `${year}-01-04`; // always in the first week
  return addDays(fourth, 7 * (Number(number) - 1) - weekday(fourth));
}

/** Returns the time of a day for formatters with the time zone UTC. */
export function toDate(date: string): Date {
  return new Date(at(date));
}

/** The time zone of the browser as an IANA name. */
export function timeZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  return zone === undefined || zone === 'Etc/Unknown' ? 'UTC' : zone;
}
