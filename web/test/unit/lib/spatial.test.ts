import { describe, expect, it } from 'vitest';
import { nearest, type Box } from '../../../src/lib/spatial';

const box = (left: number, top: number, width: number, height: number): Box => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

describe('what lies in a direction', () => {
  const rail = box(0, 100, 200, 44);
  const low = box(0, 400, 200, 44);
  const shelf = [box(240, 80, 120, 180), box(380, 120, 140, 140), box(540, 80, 120, 180)];
  const below = [box(240, 340, 90, 140), box(350, 340, 90, 140), box(460, 340, 90, 140)];

  it('is the neighbour in the row', () => {
    expect(nearest(shelf[0]!, [rail, ...shelf.slice(1), ...below], 'right')).toBe(1);
    expect(nearest(shelf[2]!, [rail, shelf[0]!, shelf[1]!], 'left')).toBe(2);
  });

  it('is the rail from the first of a row, where that stands in the same row', () => {
    expect(nearest(shelf[0]!, [low, rail], 'left')).toBe(1);
    expect(nearest(below[0]!, [rail, low], 'left')).toBe(1);
  });

  it('is the thing below, though rows of unlike shapes do not align', () => {
    expect(nearest(shelf[0]!, [...below, low], 'down')).toBe(0);
    expect(nearest(shelf[1]!, below, 'down')).toBe(1);
    expect(nearest(below[1]!, shelf, 'up')).toBe(1);
  });

  it('is nothing at the border', () => {
    expect(nearest(rail, [low, ...shelf], 'left')).toBe(-1);
    expect(nearest(below[0]!, [...shelf, rail], 'down')).toBe(-1);
  });
});
