import { describe, expect, it } from 'vitest';
import { hasText, valueLines } from '../../../src/components/metadata/preview-lines';

describe('lines of a change', () => {
  it('replaces one value by another', () => {
    expect(valueLines({ before: ['1999'], after: ['2001'] })).toEqual({
      isList: false,
      removed: ['1999'],
      added: ['2001'],
      more: { removed: 0, added: 0 },
    });
  });

  it('lists only the values of a list that change', () => {
    const lines = valueLines({ before: ['Drama', 'War'], after: ['Drama', 'History'] });
    expect(lines).toMatchObject({ isList: true, removed: ['War'], added: ['History'] });
  });

  it('has no values for another order', () => {
    const lines = valueLines({ before: ['A', 'B'], after: ['B', 'A'] });
    expect([lines.removed, lines.added]).toEqual([[], []]);
  });

  it('counts the values beyond the first twelve', () => {
    const after = Array.from({ length: 20 }, (_, n) => `Person ${n}`);
    const lines = valueLines({ before: [], after });
    expect(lines.added).toHaveLength(12);
    expect(lines.more.added).toBe(8);
  });

  it('knows the fields with a text', () => {
    expect(hasText('details.tagline')).toBe(true);
    expect(hasText('details.future')).toBe(false);
  });
});
