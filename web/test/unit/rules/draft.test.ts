import { describe, expect, it } from 'vitest';
import {
  countConditions,
  draftOf,
  isGroup,
  newCondition,
  newGroup,
  ruleOf,
  setField,
  setOp,
  type Condition,
} from '../../../src/components/rules/draft';

const rule = {
  all: [
    { field: 'rating', op: 'greater', value: 7 },
    { field: 'year', op: 'between', value: [1974, 1995] },
    {
      any: [
        { field: 'kind', op: 'one_of', value: ['books', 'games'] },
        { all: [{ field: 'library', op: 'is_not', value: 2 }] },
      ],
    },
    { field: 'added_at', op: 'within_days', value: 30 },
    { field: 'finished_at', op: 'before', value: '2026-01-31' },
    { field: 'favourite', op: 'is', value: false },
    { field: 'genre', op: 'one_of', value: ['Mystery', 'Sea'] },
  ],
  sort: 'year',
  order: 'desc' as const,
  limit: 100,
};
const only = (draft: ReturnType<typeof draftOf>) => draft.root.members[0] as Condition;
const one = (field: string, op: string, value: unknown) => draftOf({ all: [{ field, op, value }] });

describe('a draft', () => {
  it('returns the rule that it was made of', () => {
    expect(ruleOf(draftOf(rule))).toEqual(rule);
    expect(countConditions(draftOf(rule).root)).toBe(8);
  });

  it('keeps a value without a control, until field or operator change', () => {
    for (const [field, op, value] of [
      ['colour', 'is', 'red'],
      ['title', 'resembles', 'Emma'],
      ['year', 'between', [1]],
      ['title', 'is', { text: 'Emma' }],
    ] as const) {
      const draft = one(field, op, value);
      expect(ruleOf(draft).all).toEqual([{ field, op, value }]);
      setOp(only(draft), 'is');
      expect(only(draft).raw).toBeUndefined();
    }
  });

  it('of an unknown form has no conditions', () => {
    for (const given of [null, 7, [], {}, { all: 1 }, 'rule'])
      expect(ruleOf(draftOf(given))).toEqual({ all: [], sort: 'title', order: 'asc' });
  });

  it('keeps members of an unknown form, until their field changes', () => {
    const deep = { all: [{ any: [{ all: [{ any: [] }] }] }] };
    for (const given of [{ all: [3, null, { any: [] }, { not: { field: 'title' } }] }, deep])
      expect(ruleOf(draftOf(given))).toEqual({ ...given, sort: 'title', order: 'asc' });
    const draft = draftOf({ all: [{ not: [] }] });
    setField(only(draft), 'favourite');
    expect(ruleOf(draft).all).toEqual([{ field: 'favourite', op: 'is', value: true }]);
  });

  it('sends whole seconds and bytes', () => {
    const draft = one('size', 'greater', 1);
    only(draft).values = ['4.1'];
    expect(ruleOf(draft).all).toEqual([{ field: 'size', op: 'greater', value: 4_100_000 }]);
    expect(ruleOf(one('duration', 'is', 100)).all).toEqual([{ field: 'duration', op: 'is', value: 100 }]);
  });

  it('accepts decimal commas, and trims texts', () => {
    const draft = one('rating', 'greater', 7);
    only(draft).values = [' 7,5 '];
    expect(ruleOf(draft).all).toEqual([{ field: 'rating', op: 'greater', value: 7.5 }]);
    const text = one('title', 'is', ' Emma ');
    expect(ruleOf(text).all).toEqual([{ field: 'title', op: 'is', value: 'Emma' }]);
  });

  it('gives each row a key of its own', () => {
    const draft = draftOf(rule);
    const keys = new Set<number>();
    const walk = (group: typeof draft.root): void => {
      keys.add(group.key);
      for (const member of group.members) {
        if (isGroup(member)) walk(member);
        else keys.add(member.key);
      }
    };
    walk(draft.root);
    keys.add(newGroup('any').key).add(newCondition().key);
    expect(keys.size).toBe(13);
  });
});

describe('a condition', () => {
  it('keeps its values for a field of the same type', () => {
    const condition = only(one('genre', 'one_of', ['Sea', 'Folk']));
    setField(condition, 'tag');
    expect(condition).toMatchObject({ field: 'tag', op: 'one_of', values: ['Sea', 'Folk'] });
    setField(condition, 'year');
    expect(condition).toMatchObject({ field: 'year', op: 'greater', values: [''] });
    setField(condition, 'favourite');
    expect(condition).toMatchObject({ op: 'is', values: ['true'] });
  });

  it('keeps the values that another operator can take', () => {
    const condition = only(one('genre', 'one_of', ['Sea', 'Folk']));
    setOp(condition, 'is');
    expect(condition.values).toEqual(['Sea']);
    setOp(condition, 'one_of');
    expect(condition.values).toEqual(['Sea']);
    const year = only(one('year', 'greater', 1950));
    setOp(year, 'between');
    expect(year.values).toEqual(['1950', '']);
    const added = only(one('added_at', 'within_days', 30));
    setOp(added, 'after');
    expect(added.values).toEqual(['']);
  });
});
