import { describe, expect, it } from 'vitest';
import type { Facets, MediaType } from '../../../../src/api/models';
import { groupQuery, groupsOf } from '../../../../src/components/people/groups';
import { countsText, rolesText } from '../../../../src/components/people/summary';

const subkind = (id: string, label: string, label_plural: string) => ({ id, label, label_plural });
const kinds = [
  { id: 'books', label: 'Book', label_plural: 'Books', subkinds: [] },
  {
    ...{ id: 'video', label: 'Video', label_plural: 'Videos' },
    subkinds: [subkind('film', 'Film', 'Films'), subkind('series', 'Series', 'Series')],
  },
] as unknown as MediaType[];
const counted = (kind: Record<string, number>, subkind: Record<string, number>) => {
  const values = (counts: Record<string, number>) =>
    Object.entries(counts).map(([value, items]) => ({ value, name: value, items }));
  return { facets: { kind: values(kind), subkind: values(subkind) } } as unknown as Facets;
};
const role = (name: string, kind: string, items: number) => ({ role: name, kind, items });

describe('the groups of a person', () => {
  it('are kinds and their subkinds, the largest first', () => {
    const groups = groupsOf(counted({ books: 2, video: 10 }, { film: 9, series: 1 }), kinds);
    expect(groups.map(({ name, items }) => [name, items])).toEqual([
      ['Films', 9],
      ['Books', 2],
      ['Series', 1],
    ]);
    expect(countsText(groups)).toBe('9 films, 2 books, 1 series');
    expect(groupQuery(groups[0]!)).toEqual({ kind: 'video', subkind: 'film' });
    expect(groupQuery(groups[1]!)).toEqual({ kind: 'books' });
  });
  it('keep a kind whole if some of its items have no subkind', () => {
    const groups = groupsOf(counted({ video: 3 }, { film: 2 }), kinds);
    expect(groups.map(({ name, subkind, items }) => [name, subkind, items])).toEqual([['Videos', null, 3]]);
  });
  it('are none without items', () => {
    expect(groupsOf(counted({}, {}), kinds)).toEqual([]);
  });
});

describe('the roles of a person', () => {
  const roles = [role('author', 'books', 2), role('actor', 'video', 9), role('director', 'video', 1)];
  it('are listed once, the most frequent first', () => {
    expect(rolesText([...roles, role('author', 'audio', 9)])).toBe('Author, actor, director');
    expect(rolesText([])).toBe('');
  });
  it('are those of a kind', () => {
    expect(rolesText(roles, 'video')).toBe('Actor, director');
    expect(rolesText(roles, 'games')).toBe('');
  });
});
