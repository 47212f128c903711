/**
 * Selects the useful entries of the progress history. A player saves its position every few seconds; of each continuous
 * run only the last position is worth restoring.
 */
import type { ApiClient } from '../api/client';
import type { ProgressHistoryEntry, Progress } from '../api/models';

type Api = Pick<ApiClient, 'progressHistory'>;
type Place = Pick<Progress, 'file_id' | 'position' | 'finished' | 'updated_at'>;

/** Maximum seconds between two positions of a run, by the clock. */
const PAUSE = 90;
const ENOUGH = 20;
const PAGES = 8;

export interface HistoryPage {
  progressStore: ProgressHistoryEntry[];
  /** Cursor: the oldest entry read so far; null at the end. */
  before: number | null;
}

/** Fetches until there are enough entries, or no more. */
export async function readHistory(
  api: Api,
  item: number,
  options: { late: boolean; before: number | null },
  newer: Place | null,
  signal?: AbortSignal,
): Promise<HistoryPage> {
  const rows: ProgressHistoryEntry[] = [];
  let before = options.before;
  for (let page = 0; page < PAGES; page += 1) {
    const query = { ...(options.late ? { late: true } : {}), ...(before === null ? {} : { before }) };
    const { items } = await api.progressHistory(item, query, signal);
    rows.push(...items);
    before = items.at(-1)?.id ?? null;
    const progressStore = ends(rows, newer);
    if (before === null || progressStore.length >= ENOUGH) return { progressStore, before };
  }
  return { progressStore: ends(rows, newer), before };
}

/** From rows in descending order, returns those that the next newer row does not continue. */
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
  // Playback advances at most at double speed; the rest is tolerance for clocks.
  return passed >= 0 && passed <= PAUSE && way >= 0 && way <= 2 * passed + 5;
}
