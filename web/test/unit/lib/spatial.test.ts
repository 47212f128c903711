import { describe, expect, it } from 'vitest';
import { nearest, type Box } from '../../../src/lib/spatial';

const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

describe('nearest', () => {
  const rail = box(0, 100, 200, 44);
  const low = box(0, 400, 200, 44);
  const shelf = [box(240, 80, 120, 180), box(380, 120, 140, 140), box(540, 80, 120, 180)];
  const below = [box(240, 340, 90, 140), box(350, 340, 90, 140), box(460, 340, 90, 140)];

  it('returns the neighbour in the row', () => {
    expect(nearest(shelf[0]!, [rail, ...shelf.slice(1), ...below], 'right')).toBe(1);
    expect(nearest(shelf[2]!, [rail, shelf[0]!, shelf[1]!], 'left')).toBe(2);
  });

  it('returns the rail from the first element of a row at the same height', () => {
    expect(nearest(shelf[0]!, [low, rail], 'left')).toBe(1);
    expect(nearest(below[0]!, [rail, low], 'left')).toBe(1);
  });

  it('returns the element below, in spite of unaligned rows', () => {
    expect(nearest(shelf[0]!, [...below, low], 'down')).toBe(0);
    expect(nearest(shelf[1]!, below, 'down')).toBe(1);
    expect(nearest(below[1]!, shelf, 'up')).toBe(1);
  });

  it('returns nothing at the border', () => {
    expect(nearest(rail, [low, ...shelf], 'left')).toBe(-1);
    expect(nearest(below[0]!, [...shelf, rail], 'down')).toBe(-1);
  });
});
