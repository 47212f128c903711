/** Orders of a list that the interface offers. */
import type { MediaType } from '../../api/models';
import { streams } from '../../catalogue/viewer-ids';
import '../../i18n/lists/grids';

/** Orders with their direction until the user chooses another one. */
const orders = {
  title: 'asc',
  added: 'desc',
  last_played: 'desc',
  rating: 'desc',
  author: 'asc',
  series: 'asc',
  year: 'desc',
  released: 'desc',
  duration: 'asc',
  pages: 'asc',
  size: 'desc',
  random: 'asc',
} as const;
type Id = keyof typeof orders;

const choice = (id: Id) => ({ id, text: `sort.${id}` as const, order: orders[id] });
export type SortChoice = ReturnType<typeof choice>;

/** The orders of a rule. */
export const ALL_SORTS: readonly SortChoice[] = (Object.keys(orders) as Id[]).map(choice);
/** The orders of a collection, in addition to its own one. */
export const COLLECTION_SORTS: readonly SortChoice[] = (
  ['title', 'added', 'year', 'author', 'series'] as const
).map(choice);

/** Returns the orders of a kind: the length of the units that it has. */
export function sortsOf(kind: MediaType | undefined): SortChoice[] {
  const fits = ({ id }: SortChoice) => {
    if (id === 'series' || id === 'random') return false;
    if (id === 'duration') return !kind || streams(kind);
    return id !== 'pages' || !kind || ['page', 'section'].includes(kind.unit);
  };
  return ALL_SORTS.filter(fits);
}

/** Returns the order that an address names, or the order by title. */
export function sortOf(query: URLSearchParams, kind: MediaType | undefined): SortChoice {
  return sortsOf(kind).find(({ id }) => id === query.get('sort')) ?? choice('title');
}
