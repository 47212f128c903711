import { describe, expect, it } from 'vitest';
import {
  addDays,
  daysBetween,
  isDate,
  isoWeek,
  localDate,
  mondayOf,
  timeZone,
  weekday,
} from '../../../src/api/reports/dates';

describe('days', () => {
  it('are valid if they exist', () => {
    for (const good of ['2026-11-26', '2024-02-29', '0001-01-01']) expect(isDate(good), good).toBe(true);
    for (const bad of ['', '2026-02-29', '2026-13-01', '26-1-1', '9999-01-01', '2026-11-26T00:00'])
      expect(isDate(bad), bad).toBe(false);
  });

  it('are counted across months, leap days and changes of the clock', () => {
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01');
    expect(addDays('2026-01-01', -1)).toBe('2025-12-31');
    expect(daysBetween('2026-03-28', '2026-03-30')).toBe(2);
    expect(weekday('2026-11-26')).toBe(3);
  });

  it('have the ISO week of their Thursday', () => {
    const weeks = [
      ['2026-01-01', '2026-W01'],
      ['2027-01-01', '2026-W53'],
      ['2024-12-30', '2025-W01'],
      ['2021-01-03', '2020-W53'],
      ['2026-11-20', '2026-W47'],
    ] as const;
    for (const [day, week] of weeks) expect(isoWeek(day), day).toBe(week);
    for (const [day, week] of weeks) expect(mondayOf(week), week).toBe(addDays(day, -weekday(day)));
  });

  it('are those of the browser’s clock', () => {
    expect(localDate(new Date(2026, 0, 5, 23, 59))).toBe('2026-01-05');
    expect(timeZone()).not.toBe('');
  });
});
