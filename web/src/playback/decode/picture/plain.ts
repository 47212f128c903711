/** Draws decoded pictures on a 2D canvas, for browsers without WebGL 2. It is slower and reduces every picture to SDR. */
import type { Picture } from '../protocol';
import { conversionOf, shownSize, type Conversion } from './colour';
import type { Renderer } from './renderer';

type Plane = Picture['planes'][number];
type Samples = Uint8Array | Uint16Array;

export class PlainRenderer implements Renderer {
  readonly #unturned = document.createElement('canvas');

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly context: CanvasRenderingContext2D,
  ) {}

  draw(picture: Picture): boolean {
    const { canvas, context } = this;
    const unturned = this.#unturned;
    Object.assign(unturned, { width: picture.width, height: picture.height });
    const inner = unturned.getContext('2d');
    if (!inner) return false;
    inner.putImageData(new ImageData(pixelsOf(picture), picture.width, picture.height), 0, 0);
    const { width, height } = shownSize(picture);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const isTurned = picture.rotation === 90 || picture.rotation === 270;
    context.resetTransform();
    context.translate(width / 2, height / 2);
    context.rotate((picture.rotation * Math.PI) / 180);
    const [across, down] = isTurned ? [height, width] : [width, height];
    context.drawImage(unturned, -across / 2, -down / 2, across, down);
    return true;
  }

  close(): void {
    this.#unturned.width = 0;
  }
}

/** Converts a picture into RGBA, without interpolation of colours. */
export function pixelsOf(picture: Picture): Uint8ClampedArray<ArrayBuffer> {
  const { width, height, planes } = picture;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const [first, second, third] = planes;
  if (!first) return pixels;
  const conversion = conversionOf(picture);
  const read = reader(picture.depth);
  if (picture.layout === 'rgba') return copyRgba(pixels, picture, first, read(first.data));
  const y = read(first.data);
  const u = second ? read(second.data) : null;
  const v = third ? read(third.data) : null;
  const bytes = picture.depth > 8 ? 2 : 1;
  for (let row = 0; row < height; row += 1)
    for (let column = 0; column < width; column += 1) {
      const colourAt = second ? placeIn(second, first, row, column, bytes) : 0;
      const sample = y[(row * first.stride) / bytes + column] ?? 0;
      const rgb = colourOf(conversion, sample, u?.[colourAt], v?.[colourAt]);
      pixels.set(rgb, (row * width + column) * 4);
    }
  return pixels;
}

function reader(depth: number): (data: ArrayBuffer) => Samples {
  return (data) => (depth > 8 ? new Uint16Array(data) : new Uint8Array(data));
}

function placeIn(plane: Plane, first: Plane, row: number, column: number, bytes: number): number {
  const down = Math.floor((row * plane.height) / first.height);
  return (down * plane.stride) / bytes + Math.floor((column * plane.width) / first.width);
}

function colourOf({ matrix, levels, peak }: Conversion, y: number, u?: number, v?: number): number[] {
  const bright = (y / peak) * levels[0] + levels[1];
  const blue = u === undefined ? 0 : (u / peak) * levels[2] + levels[3];
  const red = v === undefined ? 0 : (v / peak) * levels[2] + levels[3];
  return [
    255 * (bright + matrix[0] * red),
    255 * (bright + matrix[1] * blue + matrix[2] * red),
    255 * (bright + matrix[3] * blue),
    255,
  ];
}

function copyRgba(
  pixels: Uint8ClampedArray<ArrayBuffer>,
  { width, height, depth }: Picture,
  plane: Plane,
  samples: Samples,
): Uint8ClampedArray<ArrayBuffer> {
  const bytes = depth > 8 ? 2 : 1;
  const scale = 255 / (2 ** depth - 1);
  for (let row = 0; row < height; row += 1)
    for (let at = 0; at < width * 4; at += 1)
      pixels[row * width * 4 + at] =
        at % 4 === 3 ? 255 : (samples[(row * plane.stride) / bytes + at] ?? 0) * scale;
  return pixels;
}
