/** The active entry of the navigation. */
export type Place =
  | { at: 'home' }
  | { at: 'library' }
  | { at: 'kind'; kind: string }
  | { at: 'favourites' }
  | { at: 'playlists' }
  | { at: 'collections' }
  | { at: 'history' }
  | { at: 'search' }
  | { at: 'settings' }
  | { at: 'elsewhere' };

/** An item's page activates the entry of its kind; `kindOf` returns it once the item is loaded. */
export function placeOf(path: string, kindOf: (item: number) => string | null): Place {
  const [head, second] = path.split('/').filter((part) => part !== '');
  if (head === undefined) return { at: 'home' };
  if (
    head === 'settings' ||
    head === 'favourites' ||
    head === 'playlists' ||
    head === 'collections' ||
    head === 'history' ||
    head === 'search'
  )
    return { at: head };
  if (head === 'library')
    return second === undefined ? { at: 'library' } : { at: 'kind', kind: decodeURI(second) };
  if (head === 'items') {
    const kind = kindOf(Number(second));
    return kind === null ? { at: 'library' } : { at: 'kind', kind };
  }
  if (head === 'people' || head === 'series') return { at: 'library' };
  return { at: 'elsewhere' };
}
