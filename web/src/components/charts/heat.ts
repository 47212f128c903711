/** The calendar of a year: weeks as columns from Monday to Sunday, in two halves, with five levels. */
import { addDays, weekday } from '../../api/reports/dates';

export interface Day {
  date: string;
  seconds: number;
  pages: number;
}

export interface Cell {
  date: string;
  column: number;
  /** 0 is Monday. */
  row: number;
  /** 0 for a day without a session, otherwise 1 to 4; null for a future day. */
  level: number | null;
  day: Day | null;
}

export interface Half {
  columns: number;
  cells: Cell[];
  /** Months from 1 to 12, with the columns of their names. */
  months: { month: number; column: number }[];
}

const LEVELS = 4;

/** Returns the upper bounds of the lower levels: quartiles of the days with a session. */
export function bounds(days: readonly Pick<Day, 'seconds'>[]): number[] {
  const times = days.map(({ seconds }) => seconds).sort((a, b) => a - b);
  const at = (share: number) => times[Math.max(0, Math.ceil(share * times.length) - 1)] ?? 0;
  return Array.from({ length: LEVELS - 1 }, (_, index) => at((index + 1) / LEVELS));
}

function levelOf(day: Day | undefined, limits: readonly number[]): number {
  if (!day) return 0;
  const level = limits.findIndex((limit) => day.seconds <= limit);
  return level === -1 ? LEVELS : level + 1;
}

/** Lays out a year. Days after `today` are future days. */
export function layOut(year: number, days: readonly Day[], today: string): Half[] {
  const first = `${String(year).padStart(4, '0')}-01-01`;
  const cells = cellsOf(first, days, today);
  // The second half begins with the week that contains the first of July.
  const border = cells.find(({ date }) => date.endsWith('-07-01'))?.column ?? 0;
  const end = (cells.at(-1)?.column ?? 0) + 1;
  return [
    { from: 0, to: border },
    { from: border, to: end },
  ].map(({ from, to }) => ({
    columns: to - from,
    cells: cells
      .filter(({ column }) => column >= from && column < to)
      .map((cell) => ({ ...cell, column: cell.column - from })),
    months: monthsOf(first, from, to),
  }));
}

function cellsOf(first: string, days: readonly Day[], today: string): Cell[] {
  const byDate = new Map(days.map((day) => [day.date, day]));
  const limits = bounds(days);
  const cells: Cell[] = [];
  const year = first.slice(0, 4);
  for (let date = first, index = weekday(first); date.startsWith(year); index += 1) {
    const day = byDate.get(date);
    const level = date > today ? null : levelOf(day, limits);
    cells.push({ date, column: Math.floor(index / 7), row: index % 7, level, day: day ?? null });
    date = addDays(date, 1);
  }
  return cells;
}

/** A month is named above the first column whose Monday it contains. */
function monthsOf(first: string, from: number, to: number): Half['months'] {
  const origin = addDays(first, -weekday(first));
  const monthOf = (column: number) => addDays(origin, column * 7).slice(0, 7);
  return Array.from({ length: to - from }, (_, index) => from + index)
    .filter((column) => monthOf(column) !== monthOf(column - 1))
    .filter((column) => monthOf(column).startsWith(first.slice(0, 4)))
    .map((column) => ({ month: Number(monthOf(column).slice(5)), column: column - from }));
}
