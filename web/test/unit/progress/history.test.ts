import { describe, expect, it } from 'vitest';
import type { ProgressHistoryEntry } from '../../../src/api/models';
import { ends, readHistory } from '../../../src/progress/history';

const START = Date.parse('2026-11-21T12:00:00Z');
let serial = 1000;

function place(
  second: number,
  position: number,
  more: Partial<ProgressHistoryEntry> = {},
): ProgressHistoryEntry {
  const at = new Date(START + second * 1000).toISOString();
  return {
    id: serial--,
    file_id: 1,
    position,
    extent: 4000,
    fraction: position / 4000,
    finished: false,
    locator: null,
    within: null,
    updated_at: at,
    replaced_at: at,
    ...more,
  };
}

const positions = (rows: { position: number }[]) => rows.map((row) => row.position);

describe('progress history', () => {
  it('contains the ends of sessions, not each step', () => {
    // Played from 100 to 115, jumped to 900 and played on to 910, which is where one is now.
    const rows = [
      place(25, 905),
      place(20, 900),
      place(15, 115),
      place(10, 110),
      place(5, 105),
      place(0, 100),
    ];
    expect(positions(ends(rows, place(30, 910)))).toEqual([115]);
  });

  it('keeps the position before a backward jump', () => {
    expect(positions(ends([place(5, 800), place(0, 795)], place(10, 3)))).toEqual([800]);
  });

  it('keeps positions after a pause, and finished files', () => {
    const rows = [place(400, 210), place(0, 200), place(-5, 4000, { finished: true })];
    expect(positions(ends(rows, place(405, 215)))).toEqual([200, 4000]);
  });

  it('separates files', () => {
    expect(positions(ends([place(0, 10, { file_id: 2 })], place(5, 15)))).toEqual([10]);
  });

  it('is searched further back until there are entries', async () => {
    const all = Array.from({ length: 200 }, (_, index) => place(-5 * index, 2000 - 5 * index));
    const asked: (number | undefined)[] = [];
    const api = {
      progressHistory: async (_: number, { before }: { before?: number }) => {
        asked.push(before);
        return { items: all.filter((row) => before === undefined || row.id < before).slice(0, 50) };
      },
    };
    const found = await readHistory(api, 7, { late: false, before: null }, place(5, 2005));
    expect(asked).toHaveLength(5);
    expect(found).toEqual({ progressStore: [], before: null });
  });
});
