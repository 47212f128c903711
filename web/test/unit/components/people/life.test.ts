/** The life of a person. */
import { describe, expect, it } from 'vitest';
import { lifeTexts } from '../../../../src/components/people/summary';

const unknown = { born: null, died: null, birthplace: null, is_group: false };

describe('the life of a person', () => {
  it('contains what is known, with partial dates', () => {
    expect(lifeTexts(unknown)).toEqual([]);
    expect(lifeTexts({ ...unknown, born: '1964-09-02', birthplace: 'Beirut' })).toEqual([
      'Born 2 September 1964',
      'Birthplace: Beirut',
    ]);
    expect(lifeTexts({ ...unknown, born: '1670', died: '1738-03', birthplace: 'Nobber' })).toEqual([
      'Born 1670',
      'Birthplace: Nobber',
      'Died March 1738',
    ]);
  });
  it('is the existence of a group', () => {
    expect(lifeTexts({ born: '1962', died: '2021', birthplace: 'Paris', is_group: true })).toEqual([
      'Founded 1962',
      'Founded in Paris',
      'Dissolved 2021',
    ]);
  });
});
