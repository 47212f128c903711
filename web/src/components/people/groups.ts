/** The items of a person by form: one shelf for films, one for albums, one for books. */
import type { Facets, MediaType } from '../../api/models';

export interface Group {
  kind: MediaType;
  /** Null for all items of the kind. */
  subkind: string | null;
  label: string;
  /** The plural of the label. */
  name: string;
  items: number;
}

/**
 * Returns the groups, the largest first. A kind is divided into its subkinds if they contain all of its items, because
 * no list contains the items without one.
 */
export function groupsOf({ facets }: Pick<Facets, 'facets'>, kinds: readonly MediaType[]): Group[] {
  const groups = kinds.flatMap((kind): Group[] => {
    const items = facets.kind.find(({ value }) => value === kind.id)?.items ?? 0;
    if (items === 0) return [];
    const parts = kind.subkinds.flatMap(({ id, label, label_plural }): Group[] => {
      const own = facets.subkind.find(({ value }) => value === id)?.items ?? 0;
      return own > 0 ? [{ kind, subkind: id, label, name: label_plural, items: own }] : [];
    });
    const isWhole = parts.reduce((sum, one) => sum + one.items, 0) === items;
    return isWhole ? parts : [{ kind, subkind: null, label: kind.label, name: kind.label_plural, items }];
  });
  return groups.toSorted((a, b) => b.items - a.items);
}

/** The address of the list of a group. */
export function groupQuery({ kind, subkind }: Group): Record<string, string> {
  return { kind: kind.id, ...(subkind === null ? {} : { subkind }) };
}
