import { describe, expect, it } from 'vitest';
import { filterOf } from '../../../src/catalogue/filter-query';
import { ruleFrom } from '../../../src/components/rules/from-filters';
import type { MediaType } from '../../../src/api/models';

const kind = { id: 'audio', subkinds: [{ id: 'album' }, { id: 'audiobook' }] } as unknown as MediaType;
const names = {
  genre: new Map([
    ['1', 'Folk'],
    ['2', 'Sea stories'],
  ]),
  tag: new Map([['4', 'Winter evenings']]),
};
const order = { sort: 'year', order: 'desc' } as const;
const conditions = (query: string, engines: string | null = null) =>
  ruleFrom(filterOf(new URLSearchParams(query), kind, engines), names, order).all?.slice(1);

describe('the rule of filters', () => {
  it('has the kind and the order of the list', () => {
    expect(ruleFrom(filterOf(new URLSearchParams(), kind, null), names, order)).toEqual({
      all: [{ field: 'kind', op: 'is', value: 'audio' }],
      sort: 'year',
      order: 'desc',
    });
  });

  it('names genres and tags', () => {
    expect(conditions('genre=1,2&tag=4')).toEqual([
      { field: 'genre', op: 'one_of', value: ['Folk', 'Sea stories'] },
      { field: 'tag', op: 'is', value: 'Winter evenings' },
    ]);
  });

  it('drops ids without a name, and keeps a condition without any value', () => {
    expect(conditions('genre=1,9&tag=9')).toEqual([
      { field: 'genre', op: 'is', value: 'Folk' },
      { field: 'tag', op: 'one_of', value: [] },
    ]);
  });

  it('selects the same years and ratings', () => {
    const year = (query: string) => conditions(query)?.[0];
    expect(year('decade=1970')).toEqual({ field: 'year', op: 'between', value: [1970, 1979] });
    expect(year('year_from=1990&year_to=2009')).toEqual({
      field: 'year',
      op: 'between',
      value: [1990, 2009],
    });
    expect(year('year_from=1990')).toEqual({ field: 'year', op: 'greater', value: 1989 });
    expect(year('year_to=2009')).toEqual({ field: 'year', op: 'less', value: 2010 });
    expect(conditions('rating_min=7')).toEqual([{ field: 'rating', op: 'greater', value: 6 }]);
  });

  it('contains all other filters', () => {
    const query = 'subkind=album,audiobook&language=en,de&state=finished&library=2&favourite=true&plays=true';
    expect(conditions(`${query}&missing=true`, 'html5,web-decode')).toEqual([
      { field: 'subkind', op: 'one_of', value: ['album', 'audiobook'] },
      { field: 'language', op: 'one_of', value: ['en', 'de'] },
      { field: 'state', op: 'is', value: 'finished' },
      { field: 'library', op: 'is', value: 2 },
      { field: 'plays', op: 'one_of', value: ['html5', 'web-decode'] },
      { field: 'favourite', op: 'is', value: true },
      { field: 'missing', op: 'is', value: true },
    ]);
  });
});
