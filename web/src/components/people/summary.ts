/** The texts about the life, the roles and the items of a person. */
import type { PersonDetail, RoleCount } from '../../api/models';
import { inSentence, t } from '../../i18n';
import { count } from '../../i18n/format';
import '../../i18n/metadata';
import { partialDate } from '../metadata/provider-lines';
import { roleName } from '../metadata/roles';
import type { Group } from './groups';

/** `9 films, 2 books` */
export function countsText(groups: readonly Group[]): string {
  return groups
    .map(({ items, label, name }) => `${count(items)} ${inSentence(items === 1 ? label : name)}`)
    .join(', ');
}

/** `Actor, author`: the roles of a person, or those in one kind, the most frequent first. */
export function rolesText(roles: readonly RoleCount[], kind: string | null = null): string {
  const counts = new Map<string, number>();
  for (const one of roles)
    if (kind === null || one.kind === kind) counts.set(one.role, (counts.get(one.role) ?? 0) + one.items);
  const names = [...counts].toSorted(([, a], [, b]) => b - a).map(([role]) => roleName(role));
  return names.map((name, at) => (at === 0 ? name : inSentence(name))).join(', ');
}

type Life = Pick<PersonDetail, 'born' | 'died' | 'birthplace' | 'is_group'>;

/** `Born 2 September 1964`, `Birthplace: Beirut`, `Died 2021`: the known ones. */
export function lifeTexts({ born, died, birthplace, is_group: isGroup }: Life): string[] {
  return [
    born && t(isGroup ? 'person.founded' : 'person.born', { date: partialDate(born) }),
    birthplace && t(isGroup ? 'person.foundedIn' : 'person.birthplace', { place: birthplace }),
    died && t(isGroup ? 'person.dissolved' : 'person.died', { date: partialDate(died) }),
  ].flatMap((text) => (text ? [text] : []));
}
