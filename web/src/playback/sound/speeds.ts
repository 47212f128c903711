/** Speeds of long works, remembered per item on this device. */
import type { MediaFile } from '../../api/models';
import { storage, type KeyValueStore } from '../../lib/env';

const NAME = 'speeds';
/** Number of remembered works. The oldest ones are forgotten. */
const MOST = 200;
/** Seconds of the shortest file that counts as long: an episode of a podcast or a lecture, rather than a song. */
const LONG = 20 * 60;

type Speed = readonly [item: number, speed: number];

/** Returns true if all files are long. */
export function areLong(files: readonly Pick<MediaFile, 'duration'>[]): boolean {
  return files.length > 0 && files.every(({ duration }) => (duration ?? 0) >= LONG);
}

export class Speeds {
  constructor(private readonly shelf: KeyValueStore = storage) {}

  /** Returns the speed of an item, if it has one. */
  of(item: number): number | undefined {
    return this.#all().find(([id]) => id === item)?.[1];
  }

  keep(item: number, speed: number): void {
    const others = this.#all().filter(([id]) => id !== item);
    this.shelf.set(NAME, JSON.stringify([...others, [item, speed]].slice(-MOST)));
  }

  #all(): Speed[] {
    try {
      const list: unknown = JSON.parse(this.shelf.get(NAME) ?? '[]');
      return Array.isArray(list) ? list.filter(isSpeed) : [];
    } catch {
      return []; // not written by this version
    }
  }
}

/** The range that every browser plays. */
function isSpeed(one: unknown): one is Speed {
  if (!Array.isArray(one) || !Number.isSafeInteger(one[0])) return false;
  const speed: unknown = one[1];
  return typeof speed === 'number' && speed >= 0.25 && speed <= 4;
}
