/** Names of the numbers and the rows of a report. */
import type { RunningImport } from '../../../api/models';
import { t, type Key } from '../../../i18n';
import { enImport } from '../../../i18n/texts/settings/en.import';

export const TAKEN = [
  'progress',
  'finished',
  'favourites',
  'ratings',
  'playlists',
  'collections',
  'plays',
  'bookmarks',
  'sessions',
  'saves',
] as const satisfies readonly (keyof RunningImport['taken'])[];

export const SKIPPED = [
  'newer_here',
  'unchanged',
  'changed_here',
  'unsupported',
] as const satisfies readonly (keyof RunningImport['skipped'])[];

/** Returns the text of a type or a reason. An unknown one keeps the name of the server. */
export function textOf(group: 'type' | 'reason', name: string): string {
  const key = `import.${group}.${name}`;
  return Object.hasOwn(enImport, key) ? t(key as Key) : name;
}
