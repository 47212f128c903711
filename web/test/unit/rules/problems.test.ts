import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/api/client';
import { draftOf, type Condition, type Group } from '../../../src/components/rules/draft';
import { locate, problemIn, problemsOf } from '../../../src/components/rules/problems';

const draft = draftOf({
  all: [
    { field: 'rating', op: 'greater', value: 7 },
    {
      any: [{ field: 'kind', op: 'is', value: 'books' }, { all: [{ field: 'title', op: 'is', value: 'x' }] }],
    },
  ],
});
const [rating, any] = draft.root.members as [Condition, Group];
const [kind, all] = any.members as [Condition, Group];
const [title] = all.members as [Condition];

describe('the path of an error', () => {
  it.each([
    ['rule.all[0].op', rating.key, 'op'],
    ['rule.all[0].value', rating.key, 'value'],
    ['rule.all[1].any[0].field', kind.key, 'field'],
    ['rule.all[1].any[1].all[0].value', title.key, 'value'],
    ['rule.all[1].any[1]', all.key, null],
    ['rule.all[1]', any.key, null],
    ['rule', draft.root.key, null],
    ['rule.all', draft.root.key, null],
    ['rule.limit', draft.root.key, 'limit'],
    ['rule.sort', draft.root.key, 'sort'],
  ])('%s leads to its row', (path, key, part) => {
    expect(locate(draft, path)).toEqual({ key, part });
  });

  it('beyond the rows leads to the last known row', () => {
    expect(locate(draft, 'rule.all[9].op')).toEqual({ key: draft.root.key, part: 'op' });
    expect(locate(draft, 'rule.any[0].op')).toEqual({ key: draft.root.key, part: 'op' });
  });

  it('of another field is not about the rule', () => {
    for (const path of ['name', 'rules', '', 'items'])
      expect(problemIn(new ApiError(422, 'invalid', 'No.', path), draft)).toBeNull();
    expect(problemIn(new ApiError(412, 'stale', 'No.', 'rule'), draft)).toBeNull();
    expect(problemIn(new Error('rule'), draft)).toBeNull();
  });

  it('carries the message of the server', () => {
    const error = new ApiError(422, 'invalid', 'There is no kind `x`.', 'rule.all[1].any[0].value');
    expect(problemIn(error, draft)).toEqual({
      ...{ key: kind.key, part: 'value' },
      text: { message: 'There is no kind `x`.' },
    });
  });
});

describe('the known problems of a rule', () => {
  const of = (rule: unknown) => problemsOf(draftOf(rule)).map(({ text }) => text);
  const one = (field: string, op: string, value: unknown) => of({ all: [{ field, op, value }] });

  it('are none for a rule without errors', () => {
    expect(problemsOf(draft)).toEqual([]);
    expect(of({ all: [] })).toEqual([]);
    expect(one('colour', 'is', 'red')).toEqual([]);
  });

  it('name missing, wrong and exchanged values', () => {
    expect(one('title', 'is', ' ')).toEqual(['rule.bad.empty']);
    expect(one('genre', 'one_of', [])).toEqual(['rule.bad.empty']);
    expect(one('year', 'is', 'soon')).toEqual(['rule.bad.number']);
    expect(one('size', 'is', '1e999')).toEqual(['rule.bad.number']);
    expect(one('year', 'between', [1995, 1974])).toEqual(['rule.bad.years']);
    expect(one('rating', 'between', [9, 10])).toEqual([]);
    expect(one('rating', 'between', [10, 9])).toEqual(['rule.bad.order']);
    expect(one('added_at', 'between', ['2026-02-01', '2026-01-01'])).toEqual(['rule.bad.dates']);
    expect(one('added_at', 'within_days', 0)).toEqual(['rule.bad.days']);
  });

  it('name empty groups and the limit', () => {
    expect(of({ any: [] })).toEqual(['rule.bad.group']);
    expect(of({ all: [{ all: [] }] })).toEqual(['rule.bad.group']);
    for (const limit of [0, 10_001, 1.5]) expect(of({ all: [], limit })).toEqual(['rule.bad.limit']);
    expect(of({ all: [], limit: 10_000 })).toEqual([]);
  });
});
