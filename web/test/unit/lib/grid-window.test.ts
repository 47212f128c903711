import { describe, expect, it } from 'vitest';
import { fit, layout, offsetOf, pagesFor, visibleRows } from '../../../src/lib/grid-window';

const measures = {
  total: 100,
  width: 1000,
  minimum: 180,
  gapX: 25,
  gapY: 30,
  aspect: 2 / 3,
  caption: 50,
};

describe('layout', () => {
  it('fits as many columns as the minimum permits and distributes the rest', () => {
    const plan = layout(measures);
    expect(plan.columns).toBe(5);
    expect(plan.cellWidth).toBe(180);
    expect(plan.rowHeight).toBe(180 * 1.5 + 50 + 30);
    expect(plan.rows).toBe(20);
    expect(plan.height).toBe(20 * 350 - 30);
  });
  it('has at least one column, and no height without items', () => {
    expect(layout({ ...measures, width: 90 }).columns).toBe(1);
    expect(layout({ ...measures, total: 0 }).height).toBe(0);
  });
  it('counts the last, unfilled row', () => {
    expect(layout({ ...measures, total: 101 }).rows).toBe(21);
  });
});

describe('visibleRows', () => {
  const plan = layout(measures);
  it('starts at the first row above the list', () => {
    expect(visibleRows(plan, -400, 800, 1)).toEqual({ first: 0, last: 3 });
  });
  it('covers the window and its surroundings', () => {
    expect(visibleRows(plan, 3500, 700, 2)).toEqual({ first: 8, last: 14 });
  });
  it('stays inside the list at its end and beyond', () => {
    expect(visibleRows(plan, 7000, 800, 2)).toEqual({ first: 18, last: 20 });
    expect(visibleRows(plan, 90_000, 800, 2)).toEqual({ first: 20, last: 20 });
  });
  it('is empty for an empty list', () => {
    expect(visibleRows(layout({ ...measures, total: 0 }), 0, 800, 2)).toEqual({ first: 0, last: 0 });
  });
  it('draws each item in some window', () => {
    const seen = new Set<number>();
    for (let top = 0; top < plan.height; top += 300) {
      const rows = visibleRows(plan, top, 300, 0);
      for (let row = rows.first; row < rows.last; row += 1) seen.add(row);
    }
    expect(seen.size).toBe(plan.rows);
  });
});

describe('pagesFor', () => {
  const plan = layout(measures);
  it('names every page of the rows', () => {
    expect(pagesFor(plan, { first: 0, last: 3 }, 100, 60)).toEqual([0]);
    expect(pagesFor(plan, { first: 11, last: 13 }, 100, 60)).toEqual([0, 1]);
  });
  it('requests nothing beyond the end', () => {
    expect(pagesFor(plan, { first: 20, last: 20 }, 100, 60)).toEqual([]);
    expect(pagesFor(layout({ ...measures, total: 60 }), { first: 0, last: 12 }, 60, 60)).toEqual([0]);
  });
});

describe('offsetOf and fit', () => {
  it('finds the row of an item', () => {
    expect(offsetOf(layout(measures), 12)).toBe(2 * 350);
  });
  it('keeps proportions inside the cell', () => {
    expect(fit(1, 2 / 3, 200)).toEqual({ width: 200, height: 200 });
    expect(fit(0.5, 2 / 3, 200)).toEqual({ width: 150, height: 300 });
    expect(fit(2 / 3, 2 / 3, 200)).toEqual({ width: 200, height: 300 });
  });
});
