/** Numbers that convert samples of a picture into red, green and blue. */
import type { Picture } from '../protocol';

/** Shares of red and blue in the brightness, by the ITU-R recommendation. */
const SHARES: Readonly<Record<Picture['matrix'], readonly [number, number]>> = {
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
};

export interface Conversion {
  /** Factors of red by V, green by U, green by V, blue by U. */
  readonly matrix: readonly [number, number, number, number];
  /** Scale and offset of brightness, then of colour, for samples from 0 to 1. */
  readonly levels: readonly [number, number, number, number];
  /** The largest sample value. */
  readonly peak: number;
}

export function conversionOf(picture: Pick<Picture, 'depth' | 'fullRange' | 'matrix'>): Conversion {
  const [red, blue] = SHARES[picture.matrix];
  const green = 1 - red - blue;
  const byV = 2 * (1 - red);
  const byU = 2 * (1 - blue);
  const peak = 2 ** picture.depth - 1;
  const unit = 2 ** (picture.depth - 8);
  const middle = 128 * unit;
  return {
    matrix: [byV, (-byU * blue) / green, (-byV * red) / green, byU],
    levels: picture.fullRange
      ? [1, 0, 1, -middle / peak]
      : [peak / (219 * unit), -16 / 219, peak / (224 * unit), -128 / 224],
    peak,
  };
}

/** Returns the size of the picture on a screen of square pixels: with its pixel aspect, and turned. */
export function shownSize(picture: Pick<Picture, 'width' | 'height' | 'pixelAspect' | 'rotation'>): {
  width: number;
  height: number;
} {
  const aspect = picture.pixelAspect > 0 && Number.isFinite(picture.pixelAspect) ? picture.pixelAspect : 1;
  const width = Math.max(1, Math.round(picture.width * aspect));
  const isTurned = picture.rotation === 90 || picture.rotation === 270;
  return isTurned ? { width: picture.height, height: width } : { width, height: picture.height };
}

/** Returns the matrix that leads from the canvas into the picture, by columns, for a clockwise rotation. */
export function turnOf(rotation: Picture['rotation']): readonly [number, number, number, number] {
  switch (rotation) {
    case 0:
      return [1, 0, 0, 1];
    case 90:
      return [0, -1, 1, 0];
    case 180:
      return [-1, 0, 0, -1];
    case 270:
      return [0, 1, -1, 0];
  }
}
