/** The bars of a chart: periods without a session are absent from the server's response. */
import { addDays, isoWeek, weekday } from '../../api/reports/dates';
import type { Group } from '../../api/reports/period';
import type { Entry, Range } from '../../api/reports/statistics';

const HOURS = 24;

function days({ from, to }: Range, step: number): string[] {
  const found: string[] = [];
  for (let day = from; day <= to; day = addDays(day, step)) found.push(day);
  return found;
}

function months({ from, to }: Range): string[] {
  const found: string[] = [];
  let [year = 0, month = 0] = from.split('-').map(Number);
  for (;;) {
    const key = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
    if (key > to.slice(0, 7)) return found;
    found.push(key);
    [year, month] = month === 12 ? [year + 1, 1] : [year, month + 1];
  }
}

/** Returns the keys of all periods of a range; null if a group has no periods. */
export function keysOf(group: Group, range: Range): (string | number)[] | null {
  switch (group) {
    case 'day':
      return days(range, 1);
    case 'week': {
      const from = addDays(range.from, -weekday(range.from));
      return days({ from, to: range.to }, 7).map(isoWeek);
    }
    case 'month':
      return months(range);
    case 'hour':
      return Array.from({ length: HOURS }, (_, hour) => hour);
    default:
      return null;
  }
}

const nothing = { seconds: 0, pages: 0, sessions: 0, finished: 0 };

/** Returns the entries of a range with empty ones for periods without a session. */
export function complete(group: Group, range: Range, entries: readonly Entry[]): Entry[] {
  const keys = keysOf(group, range);
  if (keys === null) return [...entries];
  const known = new Map(entries.map((entry) => [String(entry.key), entry]));
  return keys.map((key) => known.get(String(key)) ?? { key, name: String(key), ...nothing });
}
