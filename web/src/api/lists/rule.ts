/** Rules of smart collections. The schema describes them as any object: their form depends on the fields. */

export interface Rule extends RuleGroup {
  sort?: string;
  order?: 'asc' | 'desc';
  limit?: number;
}
export interface RuleGroup {
  all?: RuleMember[];
  any?: RuleMember[];
}
export type RuleMember = RuleGroup | { field: string; op: string; value: unknown };
