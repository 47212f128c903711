/** Subtitles of Blu-ray discs (PGS): one white picture. */

const WIDTH = 32;
const HEIGHT = 16;
const CLOCK = 90_000;

/** @param {number[]} values */
const words = (...values) => values.flatMap((value) => [value >> 8, value & 255]);

/** @param {number} seconds @param {number} type @param {number[]} data @returns {number[]} */
function segment(seconds, type, ...data) {
  const time = seconds * CLOCK;
  const stamp = [...words(time >>> 16), ...words(time & 0xffff)];
  return [0x50, 0x47, ...stamp, 0, 0, 0, 0, type, ...words(data.length), ...data];
}

/** Returns the description of the screen: 720 × 576, with the picture or without. @param {boolean} isShown */
function composition(isShown) {
  const picture = isShown ? [...words(0), 0, 0, ...words(100), ...words(400)] : [];
  return [...words(720, 576), 0x10, ...words(0), isShown ? 0x80 : 0, 0, 0, isShown ? 1 : 0, ...picture];
}

/** Returns a file with the picture between two times in seconds. */
export function pgs(from = 1, to = 2) {
  const line = [0, 0x80 | WIDTH, 1, 0, 0];
  const pixels = Array.from({ length: HEIGHT }, () => line).flat();
  const object = [...words(0), 0, 0xc0, 0, ...words(pixels.length + 4), ...words(WIDTH, HEIGHT), ...pixels];
  // Entry 1 is white.
  const palette = [0, 0, 1, 235, 128, 128, 255];
  return Uint8Array.from([
    ...segment(from, 0x16, ...composition(true)),
    ...segment(from, 0x17, 1, 0, ...words(100, 400, WIDTH, HEIGHT)),
    ...segment(from, 0x14, ...palette),
    ...segment(from, 0x15, ...object),
    ...segment(from, 0x80),
    ...segment(to, 0x16, ...composition(false)),
    ...segment(to, 0x17, 1, 0, ...words(100, 400, WIDTH, HEIGHT)),
    ...segment(to, 0x80),
  ]);
}
