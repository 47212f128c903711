/** Warnings of the dashboard that require an action, the most severe first. */
import type { Backup, LibraryStatus, Status } from '../../../api/reports/dashboard';

export type Warning =
  | { type: 'library'; library: LibraryStatus }
  | { type: 'disk'; free: number; total: number }
  | { type: 'backup'; at: string | null; size: number | null }
  /** A warning of a newer server, with its English message. */
  | { type: 'other'; message: string };

/** The icon of a severe warning, drawn by Lucide (ISC licence). */
export const SEVERE = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0M12 8v4M12 16h.01';
/** Share of free space below which a disk is almost full. */
const LITTLE = 0.05;
/** Free bytes above which a large disk is not almost full. */
const ENOUGH = 20_000_000_000;

export function warningsOf(status: Status, backups: readonly Backup[]): Warning[] {
  return [...libraryWarnings(status), ...diskWarnings(status), ...serverWarnings(status, backups)];
}

function libraryWarnings({ libraries }: Status): Warning[] {
  return libraries.filter(({ available }) => !available).map((library) => ({ type: 'library', library }));
}

function diskWarnings({ disk }: Status): Warning[] {
  if (disk === null || disk.free >= Math.min(ENOUGH, disk.total * LITTLE)) return [];
  return [{ type: 'disk', ...disk }];
}

function serverWarnings({ warnings, last_backup_at: at }: Status, backups: readonly Backup[]): Warning[] {
  return warnings.map(({ code, message }) =>
    code === 'backup_old'
      ? { type: 'backup', at, size: sorted(backups)[0]?.size ?? null }
      : { type: 'other', message },
  );
}

/** Returns the backups, the newest first. */
export function sorted(backups: readonly Backup[]): Backup[] {
  return [...backups].sort((a, b) => (a.created_at < b.created_at ? 1 : -1));
}
