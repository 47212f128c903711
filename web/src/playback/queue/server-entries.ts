/** The server's queue of files as entries of the player, and the player's queue as files. */
import type { ListEntry, MediaFile } from '../../api/models';
import { MOST_FILES } from '../../api/lists/queue';
import type { SavedEntry } from './saved-queue';
import type { Snapshot } from './server-queue.svelte';
import { filesOf, type Entry } from './upcoming.svelte';

type Row = Pick<ListEntry, 'file_id'> & { item: Pick<ListEntry['item'], 'id'> };

/** Returns the files of a saved entry, as far as they are known. */
function filesOfSaved({ file, files, run }: SavedEntry): readonly number[] {
  return run ?? files ?? (file === null ? [] : [file]);
}

/** Returns the files of the current item and of the queue after it. The server limits their number. */
export function snapshotOf(
  queue: readonly MediaFile[],
  index: number,
  seconds: number,
  upcoming: { entries: readonly Entry[]; rest: readonly SavedEntry[] },
): Snapshot {
  const later = [...upcoming.entries.map(filesOf), ...upcoming.rest.map(filesOfSaved)].flat();
  const all = [...queue.map(({ id }) => id), ...later];
  const skipped = Math.max(0, Math.min(index, all.length - MOST_FILES));
  const position = Math.max(0, Math.floor(seconds));
  return { files: all.slice(skipped, skipped + MOST_FILES), current: index - skipped, position };
}

/** Returns the entries from the current one. Consecutive files of one item are one entry. */
export function savedEntriesOf(rows: readonly Row[], current: number): SavedEntry[] {
  const runs: { item: number; from: number; files: number[] }[] = [];
  for (const [at, { item, file_id }] of rows.entries()) {
    const last = runs.at(-1);
    // A file that occurs twice begins another run.
    if (last?.item === item.id && !last.files.includes(file_id)) last.files.push(file_id);
    else runs.push({ item: item.id, from: at, files: [file_id] });
  }
  return runs
    .filter(({ from, files }) => from + files.length > current)
    .map(({ item, from, files }) => savedRun(item, files, Math.max(0, current - from)));
}

function savedRun(item: number, files: number[], at: number): SavedEntry {
  if (files.length === 1) return { item, file: files[0] ?? null, alone: true };
  return { item, file: files[at] ?? null, alone: false, run: files };
}
