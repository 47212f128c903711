/**
 * The places one left, out of all that were overwritten: a player tells its place every few seconds, and of such a run
 * only where it ended is a place to go back to.
 */
import type { ApiClient } from '../api/client';
import type { PastPlace, Progress } from '../api/types';

type Api = Pick<ApiClient, 'formerPlaces'>;
type Place = Pick<Progress, 'file_id' | 'position' | 'finished' | 'updated_at'>;

/** Seconds from one place of a run to the next, by the clock. */
const PAUSE = 90;
const ENOUGH = 20;
const PAGES = 8;

export interface Former {
  places: PastPlace[];
  /** The oldest that was looked at, to go on from; null where there are no more. */
  before: number | null;
}

/** Fetches until there are some places to choose from, or no more. */
export async function former(
  api: Api,
  item: number,
  options: { late: boolean; before: number | null },
  newer: Place | null,
  signal?: AbortSignal,
): Promise<Former> {
  const rows: PastPlace[] = [];
  let before = options.before;
  for (let page = 0; page < PAGES; page += 1) {
    const query = { ...(options.late ? { late: true } : {}), ...(before === null ? {} : { before }) };
    const { items } = await api.formerPlaces(item, query, signal);
    rows.push(...items);
    before = items.at(-1)?.id ?? null;
    const places = ends(rows, newer);
    if (before === null || places.length >= ENOUGH) return { places, before };
  }
  return { places: ends(rows, newer), before };
}

/** Of rows from newest to oldest, those that the next newer one does not carry on from. */
export function ends<P extends Place>(rows: readonly P[], newer: Place | null): P[] {
  const kept: P[] = [];
  let next = newer;
  for (const row of rows) {
    if (next === null || !carriesOn(row, next)) kept.push(row);
    next = row;
  }
  return kept;
}

function carriesOn(from: Place, to: Place): boolean {
  if (from.file_id !== to.file_id || from.finished) return false;
  const passed = (Date.parse(to.updated_at) - Date.parse(from.updated_at)) / 1000;
  const way = to.position - from.position;
  // As far as time goes, twice as fast at most, and a little for the clocks.
  return passed >= 0 && passed <= PAUSE && way >= 0 && way <= 2 * passed + 5;
}
