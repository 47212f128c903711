/** Orders of a list that the interface offers. */
import type { Key } from '../../i18n';
import type { MediaType } from '../../api/models';
import { streams } from '../../catalogue/viewer-ids';

export interface SortChoice {
  id: string;
  text: Key;
  /** Direction until the user chooses another one. */
  order: 'asc' | 'desc';
}

const title: SortChoice = { id: 'title', text: 'sort.title', order: 'asc' };
const duration: SortChoice = { id: 'duration', text: 'sort.duration', order: 'asc' };
const pages: SortChoice = { id: 'pages', text: 'sort.pages', order: 'asc' };

/** Returns the orders of a kind: the length of the units that it has. */
export function sortsOf(kind: MediaType | undefined): SortChoice[] {
  const isRead = kind?.unit === 'page' || kind?.unit === 'section';
  return [
    title,
    { id: 'added', text: 'sort.added', order: 'desc' },
    { id: 'last_played', text: 'sort.last_played', order: 'desc' },
    { id: 'rating', text: 'sort.rating', order: 'desc' },
    { id: 'author', text: 'sort.author', order: 'asc' },
    { id: 'year', text: 'sort.year', order: 'desc' },
    { id: 'released', text: 'sort.released', order: 'desc' },
    ...(kind === undefined || streams(kind) ? [duration] : []),
    ...(kind === undefined || isRead ? [pages] : []),
    { id: 'size', text: 'sort.size', order: 'desc' },
  ];
}

/** Returns the order that an address names, or the order by title. */
export function sortOf(query: URLSearchParams, kind: MediaType | undefined): SortChoice {
  return sortsOf(kind).find((entry) => entry.id === query.get('sort')) ?? title;
}
