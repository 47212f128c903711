import { describe, expect, it } from 'vitest';
import { leftAt, THUMB, timeAt } from '../../../src/playback/scrub.svelte';
import { nameAt } from '../../../src/playback/timeline';

describe('the time at a slider position', () => {
  it('equals the time at the thumb', () => {
    const width = 200 + THUMB;
    expect(timeAt(THUMB / 2, 100, width)).toBe(0);
    expect(timeAt(THUMB / 2 + 50, 100, width)).toBe(25);
    expect(timeAt(THUMB / 2 + 200, 100, width)).toBe(100);
    for (const time of [0, 12.5, 60, 100])
      expect(timeAt(leftAt(time, 100, width), 100, width)).toBeCloseTo(time);
  });

  it('is within the film', () => {
    expect(timeAt(-40, 100, 300)).toBe(0);
    expect(timeAt(900, 100, 300)).toBe(100);
    expect(leftAt(500, 100, 300)).toBe(290);
  });

  it('is zero without a width or a length', () => {
    expect(timeAt(5, 100, 0)).toBe(0);
    expect(leftAt(5, 0, 300)).toBe(THUMB / 2);
  });
});

describe('the name of a chapter', () => {
  const mark = (title: string, start: number) => ({ title, start, index: 0, from: start, length: 10 });

  it('is that of the last started one', () => {
    const marks = [mark('Loomings', 5), mark('Breakfast', 15)];
    expect([0, 5, 14.9, 15, 90].map((at) => nameAt({ marks }, at))).toEqual([
      '',
      'Loomings',
      'Loomings',
      'Breakfast',
      'Breakfast',
    ]);
  });
});
