/** Formats the counts of a scan. */
import type { ScanStatus } from '../../../api/models';
import { format } from '../../../i18n/locale';
import { t, type Key } from '../../../i18n';

const counted = ['added', 'updated', 'moved', 'missing', 'restored'] as const;

const words: Record<(typeof counted)[number], Key> = {
  added: 'scan.added',
  updated: 'scan.updated',
  moved: 'scan.moved',
  missing: 'scan.missing',
  restored: 'scan.restored',
};

/** `12 added, 3 missing`, or a text for a scan without changes. */
export function tally(status: ScanStatus): string {
  const parts = counted
    .filter((name) => status[name] > 0)
    .map((name) => t(words[name], { count: status[name] }));
  if (parts.length > 0) return format(Intl.ListFormat, { type: 'unit' }).format(parts);
  return status.status === 'done' ? t('scan.nothing') : '';
}

/**
 * Returns true if the scan stopped because too many files disappeared at once. Its text names the API parameter that
 * overrides this.
 */
export function isGuard(status: ScanStatus): boolean {
  return status.error?.includes('accept_missing') ?? false;
}
