/** Reasons for the end of playback. */
import type { Failure } from '../protocol';

/** FFmpeg's errors. System errors have the numbers of the module's C library. */
export const END = -541_478_725;
const NO_DEMUXER = -1_296_385_272;
const NO_DECODER = -1_128_613_112;
const NO_MEMORY = -48;

/** Bytes of memory from which failures are due to its limit of 256 MiB. */
const NEARLY_FULL = 240 << 20;

export class Failed extends Error {
  constructor(
    readonly reason: Failure,
    detail: string,
  ) {
    super(detail);
  }
}

/** Returns the failure of a call. */
export function failureOf(error: number, heap: number): Failed {
  if (error === NO_MEMORY || heap > NEARLY_FULL) return new Failed('crashed', 'out of memory');
  if (error === NO_DEMUXER) return new Failed('unsupported', 'the format is unknown');
  if (error === NO_DECODER) return new Failed('unsupported', 'there is no decoder');
  return new Failed('damaged', error === 0 ? 'no packet can be decoded' : `error ${error}`);
}
