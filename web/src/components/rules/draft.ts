/** A rule while it is edited: a tree of rows with keys that stay. Values are texts, as the controls show them. */
import type { Rule, RuleGroup, RuleMember } from '../../api/lists/rule';
import { fieldOf, valuesOf, type Field } from './fields';

export type Match = 'all' | 'any';
export interface Condition {
  key: number;
  field: string;
  op: string;
  values: string[];
  /** A value that has no control here, such as that of a newer server. It stays until field or operator change. */
  raw?: unknown;
  /** True if the raw value is the whole member of the rule. */
  isWhole?: boolean;
}
export interface Group {
  key: number;
  match: Match;
  members: Member[];
}
export type Member = Condition | Group;
export interface Draft {
  root: Group;
  sort: string;
  order: 'asc' | 'desc';
  /** Largest number of items; empty for all. */
  limit: string;
}

export const MOST_CONDITIONS = 30;
export const MOST_LEVELS = 3;
export const MOST_ITEMS = 10_000;

let lastKey = 0;
const nextKey = () => (lastKey += 1);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isGroup = (member: Member): member is Group => 'members' in member;

export const newGroup = (match: Match, members: Member[] = []): Group => ({
  key: nextKey(),
  match,
  members,
});
export function newCondition(field = 'title'): Condition {
  const descriptor = fieldOf(field);
  const op = descriptor?.type === 'text' ? 'contains' : (descriptor?.ops[0] ?? 'is');
  return { key: nextKey(), field, op, values: blank(descriptor, op) };
}

/** Returns the values of a new condition: controls of one value have one, those of a list none. */
function blank(field: Field | undefined, op: string): string[] {
  if (field?.type === 'flag') return ['true'];
  return Array.from({ length: valuesOf(op) ?? 0 }, () => '');
}

/** Changes the field. Values of another type are dropped. */
export function setField(condition: Condition, id: string): void {
  const [before, after] = [fieldOf(condition.field), fieldOf(id)];
  condition.field = id;
  const isSame = before?.type === after?.type && before?.choices === after?.choices;
  if (isSame && condition.raw === undefined) return;
  const { op, values } = newCondition(id);
  Object.assign(condition, { op, values });
  delete condition.raw;
  delete condition.isWhole;
}

/** Changes the operator. Values that it can take stay. */
export function setOp(condition: Condition, op: string): void {
  const wanted = valuesOf(op);
  const changesType = (condition.op === 'within_days') !== (op === 'within_days');
  const given = changesType || condition.raw !== undefined ? [] : condition.values.filter(Boolean);
  condition.op = op;
  delete condition.raw;
  if (wanted === null) condition.values = given;
  else condition.values = Array.from({ length: wanted }, (_, at) => given[at] ?? '');
}

export function countConditions(group: Group): number {
  return group.members.reduce((sum, one) => sum + (isGroup(one) ? countConditions(one) : 1), 0);
}

/** Returns the draft of a rule. An unknown form, such as of a changed address, is a rule without conditions. */
export function draftOf(rule: unknown): Draft {
  const given = isObject(rule) ? rule : {};
  return {
    root: groupOf(given, 1) ?? newGroup('all'),
    sort: typeof given.sort === 'string' ? given.sort : 'title',
    order: given.order === 'desc' ? 'desc' : 'asc',
    limit: typeof given.limit === 'number' ? String(given.limit) : '',
  };
}

function groupOf(given: Record<string, unknown>, level: number): Group | null {
  const match = Array.isArray(given.all) ? 'all' : 'any';
  const members = given[match];
  if (!Array.isArray(members) || level > MOST_LEVELS) return null;
  return newGroup(
    match,
    members.map((one: unknown) => memberOf(one, level + 1)),
  );
}

/** A member of an unknown form, such as that of a newer server, stays as it is. */
function memberOf(given: unknown, level: number): Member {
  const unknown = { key: nextKey(), field: '', op: '', values: [], raw: given, isWhole: true };
  if (!isObject(given)) return unknown;
  const { field, op, value } = given;
  if (typeof field !== 'string' || typeof op !== 'string') return groupOf(given, level) ?? unknown;
  const values = textsOf(field, op, value);
  const key = nextKey();
  return values ? { key, field, op, values } : { key, field, op, values: [], raw: value };
}

/** Returns the texts of a value, or null if no control shows it. */
function textsOf(field: string, op: string, value: unknown): string[] | null {
  const descriptor = fieldOf(field);
  if (!descriptor?.ops.includes(op)) return null;
  const list = valuesOf(op) === 1 ? [value] : value;
  if (!Array.isArray(list) || (valuesOf(op) === 2 && list.length !== 2)) return null;
  const isPlain = (one: unknown) => ['string', 'number', 'boolean'].includes(typeof one);
  if (!list.every(isPlain)) return null;
  return list.map((one) => (typeof one === 'number' ? String(one / (descriptor.factor ?? 1)) : String(one)));
}

export function ruleOf({ root, sort, order, limit }: Draft): Rule {
  return {
    ...groupRule(root),
    sort,
    order,
    ...(limit.trim() === '' ? {} : { limit: Number(limit) }),
  };
}

function groupRule({ match, members }: Group): RuleGroup {
  return { [match]: members.map((one) => (isGroup(one) ? groupRule(one) : conditionRule(one))) };
}

function conditionRule({ field, op, values, raw, isWhole }: Condition): RuleMember {
  if (isWhole) return raw as RuleMember;
  if (raw !== undefined) return { field, op, value: raw };
  const parsed = values.map((text) => parse(field, op, text));
  return { field, op, value: valuesOf(op) === 1 ? parsed[0] : parsed };
}

/** Returns the number of a text with a decimal point or comma; NaN for another text. */
export function numberIn(text: string): number {
  return text.trim() === '' ? NaN : Number(text.trim().replace(',', '.'));
}

function parse(id: string, op: string, text: string): unknown {
  const field = fieldOf(id);
  // The API counts whole seconds and bytes.
  if (field?.type === 'number')
    return field.factor ? Math.round(numberIn(text) * field.factor) : numberIn(text);
  if (op === 'within_days' || field?.choices === 'library') return Number(text);
  return field?.type === 'flag' ? text === 'true' : text.trim();
}
