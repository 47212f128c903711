import { afterEach, describe, expect, it } from 'vitest';
import { bounds, layOut } from '../../../src/components/charts/heat';
import { labelOf } from '../../../src/components/charts/labels';
import { timeParts, timeText, timeTick } from '../../../src/components/charts/spans';
import { labelStep, numberTicks, timeTicks } from '../../../src/components/charts/ticks';
import { setLocale } from '../../../src/i18n/locale';

afterEach(() => setLocale('en'));
const HOUR = 3600;

describe('the axis', () => {
  it('has round steps from 0 to a value that is not below the largest', () => {
    expect(numberTicks(4.9, 0.01)).toEqual([0, 2, 4, 6]);
    expect(numberTicks(87)).toEqual([0, 25, 50, 75, 100]);
    expect(numberTicks(3)).toEqual([0, 1, 2, 3]);
    expect(timeTicks(5.2 * HOUR)).toEqual([0, 2, 4, 6].map((n) => n * HOUR));
    expect(timeTicks(50)).toEqual([0, 15, 30, 45, 60]);
  });

  it('has at most six ticks and covers any value', () => {
    for (let max = 1; max < 1e10; max = Math.ceil(max * 1.37)) {
      for (const ticks of [numberTicks(max), timeTicks(max)]) {
        expect(ticks.at(-1), String(max)).toBeGreaterThanOrEqual(max);
        expect(ticks.length, String(max)).toBeLessThanOrEqual(6);
      }
    }
  });

  it('labels bars in distances that leave room', () => {
    expect(labelStep(40, 64)).toBe(2);
    expect(labelStep(13.75, 64)).toBe(6);
    expect(labelStep(70, 64)).toBe(1);
  });
});

describe('times', () => {
  it('omit minutes from ten hours', () => {
    expect([0, 40, 240, 6.2 * HOUR, 412.4 * HOUR].map(timeText)).toEqual([
      '0 min',
      '40 s',
      '4 min',
      '6 h 12 min',
      '412 h',
    ]);
  });

  it('are a number and a unit', () => {
    expect(timeParts(1800)).toEqual({ value: '30', unit: 'min' });
    expect(timeParts(1.25 * HOUR)).toEqual({ value: '1.3', unit: 'h' });
    expect(timeParts(1412.4 * HOUR)).toEqual({ value: '1,412', unit: 'h' });
    expect(timeTick(1.5 * HOUR, HOUR / 2)).toBe('1.5 h');
    expect(timeTick(900, 300)).toBe('15 min');
  });
});

describe('names of periods', () => {
  it('are short on an axis and long in a table', () => {
    // Versions of the ICU library differ by a comma.
    expect(labelOf('day', '2026-11-01').long).toMatch(/^Sunday,? 1 November 2026$/);
    expect(labelOf('day', '2026-11-01').short).toBe('1 Nov');
    expect(labelOf('week', '2026-W47')).toEqual({
      short: '16 Nov',
      long: 'Week 47, 2026 · 16 November – 22 November',
    });
    expect(labelOf('month', '2026-11')).toEqual({ short: 'Nov 26', long: 'November 2026' });
    expect(labelOf('hour', 6)).toEqual({ short: '06:00', long: '06:00' });
  });
});

describe('the calendar', () => {
  const day = (date: string, seconds: number) => ({ date, seconds, pages: 0 });

  it('has each day once, in columns of weeks from Monday', () => {
    for (const [year, days] of [
      [2026, 365],
      [2024, 366],
      [2028, 366],
    ] as const) {
      const [first, second] = layOut(year, [], '9999-01-01');
      const cells = [...(first?.cells ?? []), ...(second?.cells ?? [])];
      expect(new Set(cells.map(({ date }) => date)).size).toBe(days);
      const places = (half: typeof first) => half?.cells.map(({ column, row }) => column * 7 + row);
      for (const half of [first, second]) {
        const all = places(half) ?? [];
        expect(all).toEqual(all.toSorted((a, b) => a - b));
        expect(new Set(all).size).toBe(all.length);
      }
    }
  });

  it('begins its second half with the week of the first of July', () => {
    const [first, second] = layOut(2026, [], '2026-12-31');
    expect([first?.columns, second?.columns]).toEqual([26, 27]);
    expect(second?.cells[0]?.date).toBe('2026-06-29');
    expect(first?.months.map(({ month, column }) => [month, column])).toEqual([
      [1, 1],
      [2, 5],
      [3, 9],
      [4, 14],
      [5, 18],
      [6, 22],
    ]);
  });

  it('has four levels by quartiles, none for other days, and outlines for the future', () => {
    const days = [10, 20, 30, 40].map((seconds, index) => day(`2026-01-0${index + 1}`, seconds));
    const [first] = layOut(2026, days, '2026-01-05');
    expect(first?.cells.slice(0, 6).map(({ level }) => level)).toEqual([1, 2, 3, 4, 0, null]);
    expect(bounds(days)).toEqual([10, 20, 30]);
  });

  it('has the lowest level for a single day of pages without time', () => {
    const [first] = layOut(2026, [day('2026-01-01', 0)], '2026-12-31');
    expect(first?.cells[0]?.level).toBe(1);
  });
});
