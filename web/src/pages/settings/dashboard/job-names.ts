/** Names of jobs. */
import type { Job } from '../../../api/models';
import { t, type Key } from '../../../i18n';

const names: Record<string, Key> = {
  scan: 'job.scan',
  covers: 'job.covers',
  enrich: 'job.enrich',
  enrich_item: 'job.enrichItem',
  backup: 'job.backup',
  digests: 'job.digests',
};

/** A library job is named after its library. An unknown job keeps the name of the server. */
export function jobName(
  { kind, ref_id }: Pick<Job, 'kind' | 'ref_id'>,
  libraries: readonly { id: number; name: string }[],
): string {
  const library = libraries.find(({ id }) => id === ref_id)?.name ?? `#${ref_id}`;
  const name = names[kind];
  if (name) return t(name, { library, id: `#${ref_id}` });
  return ref_id === null ? kind : `${kind} ${ref_id}`;
}
