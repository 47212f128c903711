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
  year: 'desc',
  released: 'desc',
  duration: 'asc',
  pages: 'asc',
  size: 'desc',
} as const;
type Id = keyof typeof orders;

const choice = (id: Id) => ({ id, text: `sort.${id}` as const, order: orders[id] });
export type SortChoice = ReturnType<typeof choice>;

/** Returns the orders of a kind: the length of the units that it has. */
export function sortsOf(kind: MediaType | undefined): SortChoice[] {
  const fits = (id: string) =>
    !kind || (id === 'duration' ? streams(kind) : id !== 'pages' || ['page', 'section'].includes(kind.unit));
  return (Object.keys(orders) as Id[]).filter(fits).map(choice);
}

/** Returns the order that an address names, or the order by title. */
export function sortOf(query: URLSearchParams, kind: MediaType | undefined): SortChoice {
  return sortsOf(kind).find(({ id }) => id === query.get('sort')) ?? choice('title');
}
