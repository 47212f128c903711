/** Subtitles of Blu-ray discs (PGS): one picture from the first to the second second. */

const WIDTH = 32;
const HEIGHT = 16;
const CLOCK = 90_000;

const words = (...values: number[]) => values.flatMap((value) => [value >> 8, value & 255]);

function segment(seconds: number, type: number, ...data: number[]): number[] {
  const time = seconds * CLOCK;
  const stamp = [...words(time >>> 16), ...words(time & 0xffff)];
  return [0x50, 0x47, ...stamp, 0, 0, 0, 0, type, ...words(data.length), ...data];
}

/** Returns the description of the screen: 720 × 576, with the picture or without. */
function composition(isShown: boolean): number[] {
  const picture = isShown ? [...words(0), 0, 0, ...words(100), ...words(400)] : [];
  return [...words(720, 576), 0x10, ...words(0), isShown ? 0x80 : 0, 0, 0, isShown ? 1 : 0, ...picture];
}

export function pgs(): Uint8Array {
  const line = [0, 0x80 | WIDTH, 1, 0, 0];
  const pixels = Array.from({ length: HEIGHT }, () => line).flat();
  const object = [...words(0), 0, 0xc0, 0, ...words(pixels.length + 4), ...words(WIDTH, HEIGHT), ...pixels];
  // Entry 1 is white.
  const palette = [0, 0, 1, 235, 128, 128, 255];
  return Uint8Array.from([
    ...segment(1, 0x16, ...composition(true)),
    ...segment(1, 0x17, 1, 0, ...words(100, 400, WIDTH, HEIGHT)),
    ...segment(1, 0x14, ...palette),
    ...segment(1, 0x15, ...object),
    ...segment(1, 0x80),
    ...segment(2, 0x16, ...composition(false)),
    ...segment(2, 0x17, 1, 0, ...words(100, 400, WIDTH, HEIGHT)),
    ...segment(2, 0x80),
  ]);
}
