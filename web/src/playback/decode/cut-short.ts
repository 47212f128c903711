/** Decoded files that end too early. */
import type { Facts } from './native';

/** Share of its length at which a file counts as complete: lengths in headers are not exact. */
const WHOLE = 0.9;

/** Containers without a length: it is estimated from the bit rate of the first bytes, and can be far too large. */
const ESTIMATED: ReadonlySet<string | null> = new Set([
  ...['adts', 'amr', 'ac3', 'eac3', 'dts', 'dtshd', 'truehd', 'mlp', 'loas', 'mp3'],
  ...['h264', 'hevc', 'm4v', 'mpegvideo'],
]);

/**
 * Returns true if a decoded file ended at `time` long before its length: its data is damaged there, and it is not
 * finished. The ends of files that the browser plays by itself are its own decision.
 */
export function isCutShort(
  { duration, container }: Pick<Facts, 'container'> & { readonly duration: number | null },
  time: number,
): boolean {
  return duration !== null && duration > 0 && time < duration * WHOLE && !ESTIMATED.has(container);
}
