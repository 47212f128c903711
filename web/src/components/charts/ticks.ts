/** The axis of a chart: round numbers from 0 to a value that is not below the largest one. */

/** Steps of hours, minutes and seconds, in seconds. */
const TIMES = [1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 10_800, 18_000, 36_000, 72_000, 180_000, 360_000];
const MOST = 4;

/** Returns steps of 1, 2, 2.5 or 5 times a power of ten. */
function decimalStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= least) ?? 10;
  return factor * power;
}

function axis(max: number, step: number): number[] {
  const count = Math.max(1, Math.ceil(max / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Ticks of a number such as bytes or pages. `unit` is the smallest step. */
export function numberTicks(max: number, unit = 1): number[] {
  const least = Math.max(max / MOST, unit);
  return axis(max, Math.max(decimalStep(least), unit));
}

/** Ticks of a time in seconds. */
export function timeTicks(max: number): number[] {
  const least = max / MOST;
  return axis(max, TIMES.find((step) => step >= least) ?? 3600 * decimalStep(least / 3600));
}

/** Distances between labelled bars. */
const EVERY = [1, 2, 3, 4, 6, 12, 24, 48, 96, 192];

/** Returns the distance between two labelled bars, so that a label has `room` pixels. */
export function labelStep(pitch: number, room: number): number {
  return EVERY.find((every) => every * pitch >= room) ?? 384;
}
