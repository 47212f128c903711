/** Decoded files that end too early. */

/** Share of its length at which a file counts as complete: lengths in headers are not exact. */
const WHOLE = 0.9;

/**
 * Returns true if a decoded file ended at `time` long before its length: its data is damaged there, and it is not
 * finished. The ends of files that the browser plays by itself are its own decision.
 */
export function isCutShort(length: number | null, time: number): boolean {
  return length !== null && length > 0 && time < length * WHOLE;
}
