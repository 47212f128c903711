/** Turns what the module hands out into messages for the page. Data is copied, because the module reuses it. */
import type { Picture, SubtitleCue } from '../protocol';
import type { RawCue, RawPicture } from './module';

const MATRICES = ['bt601', 'bt709', 'bt2020'] as const;
const TRANSFERS = ['sdr', 'pq', 'hlg'] as const;
const FIELDS = ['no', 'top', 'bottom'] as const;
const TURNS = [0, 90, 180, 270] as const;

export function pictureOf(raw: RawPicture): Picture {
  const { time, width, height, depth, isFullRange, planes } = raw;
  const [numerator, denominator] = raw.aspect;
  return {
    ...{ time, width, height, depth, fullRange: isFullRange },
    planes: planes.map((plane) => ({ ...plane, data: copyOf(plane.data) })),
    layout: raw.isRgba ? 'rgba' : 'planar',
    matrix: MATRICES[raw.matrix] ?? 'bt601',
    transfer: TRANSFERS[raw.transfer] ?? 'sdr',
    interlaced: FIELDS[raw.interlaced] ?? 'no',
    pixelAspect: numerator > 0 && denominator > 0 ? numerator / denominator : 1,
    rotation: TURNS.find((turn) => turn === raw.rotation) ?? 0,
  };
}

export function copyOf(data: Uint8Array): ArrayBuffer {
  return data.slice().buffer;
}

type CuePicture = SubtitleCue['pictures'][number];

/** Collects the pictures of a cue, which the module hands out one by one. */
export class CueCollector {
  #cue: RawCue | null = null;
  #pictures: CuePicture[] = [];

  constructor(private readonly oncue: (cue: SubtitleCue) => void) {}

  begin(cue: RawCue): void {
    this.finish();
    this.#cue = cue;
  }

  add(x: number, y: number, width: number, height: number, rgba: Uint8Array): void {
    this.#pictures.push({ x, y, width, height, data: copyOf(rgba) });
  }

  /** Sends the cue that is complete. */
  finish(): void {
    if (this.#cue) {
      const { stream, start, end, text, width, height } = this.#cue;
      const pictures = this.#pictures;
      const area = text === null ? areaOf(width, height, pictures) : null;
      this.oncue({ stream, start, end, text, area, pictures });
    }
    this.#cue = null;
    this.#pictures = [];
  }
}

/** Returns the area of pictures. Files that do not state it were made for the smallest usual one that contains them. */
function areaOf(width: number, height: number, pictures: readonly CuePicture[]): SubtitleCue['area'] {
  if (width > 0 && height > 0) return { width, height };
  const right = Math.max(0, ...pictures.map((one) => one.x + one.width));
  const bottom = Math.max(0, ...pictures.map((one) => one.y + one.height));
  const usual = [
    [720, 576],
    [1280, 720],
    [1920, 1080],
  ].find(([w = 0, h = 0]) => right <= w && bottom <= h);
  return { width: usual?.[0] ?? right, height: usual?.[1] ?? bottom };
}
