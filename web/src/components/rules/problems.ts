/** Problems of a draft, and the rows that the server's errors are about. */
import { ApiError } from '../../api/client';
import { t, type Key } from '../../i18n';
import '../../i18n/lists/rules';
import { MOST_ITEMS, isGroup, numberIn, type Condition, type Draft, type Group } from './draft';
import { fieldOf } from './fields';

/** A problem at a row, by its key. `part` is `field`, `op`, `value`, `sort`, `order`, `limit`, or null for all of it. */
export interface Problem {
  key: number;
  part: string | null;
  text: Key | { message: string };
  /** True while a row is only incomplete: it is shown after an attempt to save. */
  isIncomplete?: boolean;
  /** True if an exchange of both values solves it. */
  swaps?: boolean;
}

export const problemText = ({ text }: Problem): string => (typeof text === 'string' ? t(text) : text.message);

/** Returns all problems that are known without the server, in the order of the rows. */
export function problemsOf(draft: Draft): Problem[] {
  const found = inGroup(draft.root, true);
  const limit = Number(draft.limit);
  if (draft.limit.trim() !== '' && !(Number.isInteger(limit) && limit >= 1 && limit <= MOST_ITEMS))
    found.push({ key: draft.root.key, part: 'limit', text: 'rule.bad.limit' });
  return found;
}

function inGroup(group: Group, isRoot: boolean): Problem[] {
  if (group.members.length === 0 && !(isRoot && group.match === 'all'))
    return [{ key: group.key, part: null, text: 'rule.bad.group', isIncomplete: true }];
  return group.members.flatMap((one) => (isGroup(one) ? inGroup(one, false) : inCondition(one)));
}

function inCondition(condition: Condition): Problem[] {
  const { key, field, op, values, raw } = condition;
  const type = fieldOf(field)?.type;
  if (raw !== undefined || type === undefined) return [];
  const problem = (text: Key, more: Partial<Problem> = {}): Problem[] => [
    { key, part: 'value', text, ...more },
  ];
  if (values.length === 0 || values.some((text) => text.trim() === ''))
    return problem('rule.bad.empty', { isIncomplete: true });
  if (op === 'within_days') return isDays(Number(values[0])) ? [] : problem('rule.bad.days');
  if (type === 'number' && values.some((text) => !Number.isFinite(numberIn(text))))
    return problem('rule.bad.number');
  if (op === 'between' && isReversed(type, values)) {
    const text = type === 'date' ? 'rule.bad.dates' : field === 'year' ? 'rule.bad.years' : 'rule.bad.order';
    return problem(text, { swaps: true });
  }
  return [];
}

const isDays = (days: number) => Number.isInteger(days) && days >= 1 && days <= 36_500;

function isReversed(type: string, [low = '', high = '']: string[]): boolean {
  return type === 'date' ? low.slice(0, 10) > high.slice(0, 10) : numberIn(low) > numberIn(high);
}

/** Returns the row of an error path such as `rule.all[1].any[0].op`. Null if the path is not about the rule. */
export function locate({ root }: Draft, path: string): Pick<Problem, 'key' | 'part'> | null {
  if (!/^rule(?![\w])/.test(path)) return null;
  let group: Group = root;
  let { key } = root;
  for (const [, match, index] of path.matchAll(/\.(all|any)\[(\d+)\]/g)) {
    const member = match === group.match ? group.members[Number(index)] : undefined;
    if (!member) break;
    key = member.key;
    if (!isGroup(member)) break;
    group = member;
  }
  const part = /\.(\w+)$/.exec(path)?.[1] ?? null;
  return { key, part: part === 'all' || part === 'any' ? null : part };
}

/** Returns the problem that an error of the server is about, or null for an error of another kind. */
export function problemIn(error: unknown, draft: Draft): Problem | null {
  if (!(error instanceof ApiError) || error.status !== 422 || error.field === null) return null;
  const found = locate(draft, error.field);
  return found && { ...found, text: { message: error.message } };
}
