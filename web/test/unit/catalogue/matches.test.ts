import { describe, expect, it } from 'vitest';
import { differences, pictureUrl } from '../../../src/catalogue/matches';

const item = { title: 'Señor Años', year: 1972, authors: 'A. Tarkovsky' };
const entry = { title: 'senor anos', year: 1972, authors: 'A. Tarkovsky' };

describe('differences', () => {
  it('ignores case and accents', () => expect(differences(item, entry)).toEqual([]));

  it('names the fields that the entry would change', () =>
    expect(differences(item, { title: 'Solaris', year: 2002, authors: 'S. Soderbergh' })).toEqual([
      'title',
      'year',
      'authors',
    ]));

  it('ignores what the entry does not know', () =>
    expect(differences(item, { ...entry, year: null, authors: '' })).toEqual([]));
});

describe('pictureUrl', () => {
  it('encodes ids of providers', () =>
    expect(pictureUrl(7, 'tmdb', '../a?b&c')).toBe(
      '/api/v1/items/7/matches/tmdb/picture?provider_id=..%2Fa%3Fb%26c',
    ));
});
