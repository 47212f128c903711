/** Reduces decoded pictures, before they are copied out of the module. */
import type { Picture } from '../protocol';
import { shownSize } from '../picture/colour';
import type { RawPicture, RawPlane } from './module';
import { pictureOf } from './output';

/** Samples of a row, and rows, that are averaged for one sample at most. More makes no visible difference. */
const MOST = 3;

/** Returns the picture with about `width` pixels on the screen. Fields of interlaced pictures are averaged. */
export function reducedOf(raw: RawPicture, width: number): Picture {
  const whole = pictureOf({ ...raw, planes: [] });
  const factor = Math.max(1, shownSize(whole).width / width);
  const planes = raw.planes.map((plane) => reducedPlane(plane, factor, raw));
  const size = planes[0] ?? { width: raw.width, height: raw.height };
  return pictureOf({ ...raw, width: size.width, height: size.height, interlaced: 0, planes });
}

function reducedPlane(plane: RawPlane, factor: number, { isRgba, depth }: RawPicture): RawPlane {
  const bytes = depth > 8 ? 2 : 1;
  const parts = isRgba ? 4 : 1;
  const source = samplesOf(plane.data, bytes);
  const width = Math.max(1, Math.round(plane.width / factor));
  const height = Math.max(1, Math.round(plane.height / factor));
  const reduced =
    bytes === 2 ? new Uint16Array(width * height * parts) : new Uint8Array(width * height * parts);
  const columns = Array.from({ length: width }, (_, x) => places(x, plane.width / width, plane.width));
  for (let y = 0; y < height; y += 1) {
    const rows = places(y, plane.height / height, plane.height);
    for (const [x, across] of columns.entries())
      for (let part = 0; part < parts; part += 1) {
        let sum = 0;
        for (const row of rows)
          for (const column of across)
            sum += source[(row * plane.stride) / bytes + column * parts + part] ?? 0;
        reduced[(y * width + x) * parts + part] = Math.round(sum / (rows.length * across.length));
      }
  }
  return { data: new Uint8Array(reduced.buffer), stride: width * parts * bytes, width, height };
}

function samplesOf(data: Uint8Array, bytes: number): Uint8Array | Uint16Array {
  if (bytes === 1) return data;
  const aligned = data.byteOffset % 2 === 0 ? data : data.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
}

/** Returns the places of the samples that are averaged for the one at `index`. */
function places(index: number, factor: number, length: number): number[] {
  const start = Math.floor(index * factor);
  const end = Math.min(length, Math.max(start + 1, Math.floor((index + 1) * factor)));
  const step = Math.ceil((end - start) / MOST);
  return Array.from({ length: Math.ceil((end - start) / step) }, (_, at) => start + at * step);
}
