/** Decoding speed of this device, measured while it decodes a film for the first time. */
import { storage, type KeyValueStore } from '../../lib/env';

export interface Device {
  /** Pixels per second, by codec. A codec without an entry was never measured. */
  readonly speeds: Readonly<Record<string, number>>;
}

const NAME = 'decoding';
/** Seconds of decoding that make a measurement. The first ones are slow, while the browser optimises the module. */
const ENOUGH = 2;
/** Share of the speed of a film at which its pictures still pass for moving ones. */
export const BEARABLE = 0.85;
/** Pictures per second of a film, if the file does not state it. */
export const USUAL_RATE = 24;

/** Returns the pixels per second of a film. */
export function needOf(width: number, height: number, rate = 0): number {
  return width * height * (rate > 0 ? rate : USUAL_RATE);
}

export function readDevice(from: Pick<KeyValueStore, 'get'> = storage): Device {
  try {
    const kept: unknown = JSON.parse(from.get(NAME) ?? '{}');
    const entries = Object.entries(kept ?? {}).filter(([, speed]) => typeof speed === 'number' && speed > 0);
    return { speeds: Object.fromEntries(entries) as Record<string, number> };
  } catch {
    // Not written by this version: measure again.
    return { speeds: {} };
  }
}

/** Stores a speed. */
export function saveSpeed(codec: string, speed: number, store: KeyValueStore = storage): void {
  const { speeds } = readDevice(store);
  store.set(NAME, JSON.stringify({ ...speeds, [codec]: Math.round(speed) }));
}

/** Measures pictures per second of decoding, from counters that only grow. */
export class SpeedMeter {
  #busy = 0;
  #pictures = 0;
  #last: { busy: number; pictures: number } | null = null;
  #isDone = false;

  constructor(private readonly onmeasured: (picturesPerSecond: number) => void) {}

  /** Adds counters of the worker: seconds of decoding, and decoded pictures. */
  add(busy: number, pictures: number): void {
    const last = this.#last;
    this.#last = { busy, pictures };
    if (this.#isDone || !last || pictures < last.pictures || busy < last.busy) return;
    this.#busy += busy - last.busy;
    this.#pictures += pictures - last.pictures;
    if (this.#busy < ENOUGH || this.#pictures === 0) return;
    this.#isDone = true;
    this.onmeasured(this.#pictures / this.#busy);
  }
}
