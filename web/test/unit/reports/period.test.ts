import { describe, expect, it } from 'vitest';
import { groupOf, groupsOf, periodOf, problemOf } from '../../../src/api/reports/period';
import { complete } from '../../../src/components/charts/periods';

const today = '2026-11-26';
const of = (query: string) => periodOf(new URLSearchParams(query), today);

describe('the period of an address', () => {
  it('is the last 30 days, this year, or two dates', () => {
    expect(of('')).toEqual({ id: 'recent', from: '2026-10-28', to: today });
    expect(of('period=year')).toEqual({ id: 'year', from: '2026-01-01', to: today });
    expect(of('period=own&from=2020-01-01&to=2020-12-31')).toEqual({
      id: 'own',
      from: '2020-01-01',
      to: '2020-12-31',
    });
  });

  it('is the default if the dates are not a period', () => {
    for (const query of ['period=own', 'period=own&from=2026-02-30&to=2026-03-01', 'period=other'])
      expect(of(query).id, query).toBe('recent');
  });

  it('has at most 3,660 days, like the server', () => {
    expect(problemOf('2016-01-01', '2026-01-07')).toBeNull();
    expect(problemOf('2016-01-01', '2026-01-08')).toBe('long');
    expect(problemOf('2026-01-02', '2026-01-01')).toBe('order');
    expect(problemOf('', '2026-01-01')).toBe('missing');
  });
});

describe('the group of an address', () => {
  const group = (query: string) => groupOf(new URLSearchParams(query), of(query));

  it('fits the length of the period', () => {
    expect(group('')).toBe('day');
    expect(group('period=year')).toBe('week');
    expect(group('period=own&from=2020-01-01&to=2024-12-31')).toBe('month');
  });

  it('is the chosen one, unless it has too many bars', () => {
    expect(group('by=hour')).toBe('hour');
    expect(group('by=author')).toBe('day');
    expect(group('period=own&from=2020-01-01&to=2024-12-31&by=day')).toBe('month');
    expect(groupsOf(of(''))).toEqual(['day', 'week', 'month', 'hour', 'kind']);
  });
});

describe('a chart', () => {
  const entry = (key: string | number) => ({
    ...{ key, name: String(key), seconds: 60, pages: 1, sessions: 1, finished: 0 },
  });
  const secondsOf = (...args: Parameters<typeof complete>) =>
    complete(...args).map(({ key, seconds }) => [key, seconds]);

  it('has an empty bar for each period without a session', () => {
    const range = { from: '2026-02-27', to: '2026-03-02' };
    expect(secondsOf('day', range, [entry('2026-03-01')])).toEqual([
      ['2026-02-27', 0],
      ['2026-02-28', 0],
      ['2026-03-01', 60],
      ['2026-03-02', 0],
    ]);
    expect(secondsOf('month', range, [entry('2026-03')])).toEqual([
      ['2026-02', 0],
      ['2026-03', 60],
    ]);
    expect(secondsOf('week', range, [entry('2026-W09')])).toEqual([
      ['2026-W09', 60],
      ['2026-W10', 0],
    ]);
  });

  it('has weeks that begin in another year', () => {
    const keys = complete('week', { from: '2025-12-30', to: '2026-01-06' }, []).map(({ key }) => key);
    expect(keys).toEqual(['2026-W01', '2026-W02']);
  });

  it('has 24 hours, and only the kinds of the response', () => {
    const range = { from: '2026-02-27', to: '2026-03-02' };
    expect(secondsOf('hour', range, [entry(7)]).filter(([, seconds]) => seconds !== 0)).toEqual([[7, 60]]);
    expect(complete('hour', range, [entry(7)])).toHaveLength(24);
    expect(complete('kind', range, [entry('books')])).toHaveLength(1);
  });
});
