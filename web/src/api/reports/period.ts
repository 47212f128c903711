/** The range of days of the statistics, as the address names it. */
import { addDays, daysBetween, isDate } from './dates';
import type { By } from './statistics';

export type PeriodId = 'recent' | 'year' | 'own';

export interface Period {
  id: PeriodId;
  /** First day. */
  from: string;
  /** Last day, inclusive. */
  to: string;
}

/** Number of days of the default range. */
const RECENT = 30;
/** Largest number of days that the server accepts. */
export const MOST_DAYS = 3660;
/** Largest number of days that are drawn as one bar each. */
const MOST_BARS = 400;
/** Number of days from which weeks are drawn by default. */
const LONG = 92;

/** Reads the period of an address. Days that are not valid lead to the default. */
export function periodOf(query: URLSearchParams, today: string): Period {
  const from = query.get('from') ?? '';
  const to = query.get('to') ?? '';
  if (query.get('period') === 'year') return { id: 'year', from: `${today.slice(0, 4)}-01-01`, to: today };
  if (query.get('period') === 'own' && problemOf(from, to) === null) return { id: 'own', from, to };
  return { id: 'recent', from: addDays(today, 1 - RECENT), to: today };
}

export type PeriodProblem = 'missing' | 'order' | 'long';

/** Returns the reason why two days are not a period; null if they are. */
export function problemOf(from: string, to: string): PeriodProblem | null {
  if (!isDate(from) || !isDate(to)) return 'missing';
  if (to < from) return 'order';
  return daysBetween(from, to) >= MOST_DAYS ? 'long' : null;
}

export const GROUPS = ['day', 'week', 'month', 'hour', 'kind'] as const satisfies readonly By[];
export type Group = (typeof GROUPS)[number];

/** The groups that a period can be drawn by. */
export function groupsOf({ from, to }: Period): readonly Group[] {
  return daysBetween(from, to) < MOST_BARS ? GROUPS : GROUPS.filter((group) => group !== 'day');
}

/** Returns the group of an address if the period allows it, otherwise the default. */
export function groupOf(query: URLSearchParams, period: Period): Group {
  const allowed = groupsOf(period);
  const days = daysBetween(period.from, period.to) + 1;
  return (
    allowed.find((group) => group === query.get('by')) ??
    (days <= LONG ? 'day' : days <= MOST_BARS ? 'week' : 'month')
  );
}
