/** A short look at a finished film or episode. */
import type { MediaFile, Progress } from '../api/models';
import type { ProgressUpdate } from './progress-store.svelte';

/** Seconds, and share of the length, that a look has at most. */
const SECONDS = 60;
const SHARE = 0.05;

/** Returns true for a position near the start of a finished file: it stays finished until it is really played again. */
export function isGlance(
  { unit, extent }: Pick<MediaFile, 'unit' | 'extent'>,
  place: Pick<Progress, 'finished'> | null,
  { position, finished = false }: ProgressUpdate,
): boolean {
  if (unit !== 'second' || finished || !place?.finished) return false;
  return position < Math.min(SECONDS, (extent ?? Infinity) * SHARE);
}
