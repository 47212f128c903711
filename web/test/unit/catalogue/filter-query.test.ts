import { describe, expect, it } from 'vitest';
import type { MediaType } from '../../../src/api/models';
import {
  NO_FILTERS,
  filterOf,
  narrows,
  numberOf,
  subkindsOf,
  toggled,
  valuesOf,
} from '../../../src/catalogue/filter-query';

const query = (text: string) => new URLSearchParams(text);
const kind = { id: 'video', subkinds: [{ id: 'film' }, { id: 'series' }] } as unknown as MediaType;

describe('the filters in an address', () => {
  it('become the filters of a request', () => {
    const text =
      'subkind=film,series&library=2&genre=3,1&tag=7&language=en,de&decade=1980&year_from=1970&year_to=1999' +
      '&rating_min=7&state=started&favourite=true&plays=true&missing=true&sort=year';
    expect(filterOf(query(text), kind, 'html5')).toEqual({
      kind: 'video',
      subkind: 'film,series',
      library: 2,
      genre: '3,1',
      tag: '7',
      language: 'en,de',
      decade: 1980,
      year_from: 1970,
      year_to: 1999,
      rating_min: 7,
      state: 'started',
      favourite: true,
      engines: 'html5',
      missing: true,
    });
  });

  it('are ignored if no server can know them', () => {
    const text =
      'subkind=opera&library=x&genre=,a,-1,0&tag=1e3&language=../en&decade=1985&year_from=1.5&year_to=99999' +
      '&rating_min=11&state=lost&favourite=1&plays=true';
    const filter = filterOf(query(text), kind, null);
    expect(narrows(filter)).toBe(false);
    expect(filter.kind).toBe('video');
  });

  it('keep known values among unknown ones, each once', () => {
    expect(valuesOf(query('genre=3,x,3,4'), 'genre')).toEqual(['3', '4']);
    expect(subkindsOf(query('subkind=series,opera'), kind)).toEqual(['series']);
  });

  it('contain at most as many values as the server accepts', () => {
    const ids = Array.from({ length: 150 }, (_, index) => index + 1);
    expect(valuesOf(query(`tag=${ids.join()}`), 'tag')).toHaveLength(100);
  });

  it('include years before the first', () => {
    expect(numberOf(query('decade=-30'), 'decade')).toBe(-30);
    expect(numberOf(query('year_from='), 'year_from')).toBeNull();
  });
});

describe('a change of the address', () => {
  it('adds a value, and removes it again', () => {
    expect(toggled(query('genre=3'), 'genre', '4')).toEqual({ genre: '3,4' });
    expect(toggled(query('genre=3,4'), 'genre', '3')).toEqual({ genre: '4' });
    expect(toggled(query('genre=4'), 'genre', '4')).toEqual({ genre: null });
  });

  it('clears every filter', () => {
    const every = filterOf(query('genre=1'), kind, null);
    const names = Object.keys(every).filter((name) => !['kind', 'engines'].includes(name));
    expect(Object.keys(NO_FILTERS).sort()).toEqual([...names, 'plays'].sort());
  });
});
