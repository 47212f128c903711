/** Compares pictures and sound with those of ffmpeg. */
import type { Picture } from '../../src/playback/decode/protocol';

/** Returns the planes of a picture without padding, as ffmpeg writes them. */
export function packed(picture: Picture): Uint8Array {
  const sample = picture.layout === 'rgba' ? 4 : picture.depth > 8 ? 2 : 1;
  const rows = picture.planes.flatMap(({ data, stride, width, height }) =>
    Array.from({ length: height }, (_, y) => new Uint8Array(data, y * stride, width * sample)),
  );
  return Buffer.concat(rows);
}

/** Returns the ratio of peak to noise in dB; infinity if both are equal. */
export function psnr(one: Uint8Array, other: Uint8Array): number {
  if (one.length !== other.length) return 0;
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2;
  return sum === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255 * one.length) / sum);
}

/** Side of the squares that are compared. */
const SIDE = 8;
const C1 = (0.01 * 255) ** 2;
const C2 = (0.03 * 255) ** 2;

/** Returns the mean structural similarity of two planes of bytes, in squares of 8 × 8. */
export function ssim(one: Uint8Array, other: Uint8Array, width: number, height: number): number {
  let total = 0;
  let count = 0;
  for (let y = 0; y + SIDE <= height; y += SIDE) {
    for (let x = 0; x + SIDE <= width; x += SIDE) {
      total += similarity(square(one, x, y, width), square(other, x, y, width));
      count += 1;
    }
  }
  return total / count;
}

function square(plane: Uint8Array, left: number, top: number, width: number): number[] {
  return Array.from(
    { length: SIDE * SIDE },
    (_, i) => plane[(top + Math.floor(i / SIDE)) * width + left + (i % SIDE)] ?? 0,
  );
}

function similarity(one: number[], other: number[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const a = mean(one);
  const b = mean(other);
  const covariance = (left: number[], l: number, right: number[], r: number) =>
    mean(left.map((value, index) => (value - l) * ((right[index] ?? 0) - r)));
  const top = (2 * a * b + C1) * (2 * covariance(one, a, other, b) + C2);
  return top / ((a * a + b * b + C1) * (covariance(one, a, one, a) + covariance(other, b, other, b) + C2));
}

/** Returns the largest difference of two sounds, and the share of the longer one that both have. */
export function difference(one: Int16Array, other: Int16Array): { largest: number; overlap: number } {
  const length = Math.min(one.length, other.length);
  let largest = 0;
  for (let at = 0; at < length; at++)
    largest = Math.max(largest, Math.abs((one[at] ?? 0) - (other[at] ?? 0)));
  return { largest, overlap: length / Math.max(one.length, other.length, 1) };
}
