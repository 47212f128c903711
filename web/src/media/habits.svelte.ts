/** How somebody likes to listen on this device. */
import { storage } from '../lib/env';

export const SPEEDS = [0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
export const SKIPS = [5, 10, 15, 30, 60] as const;

interface Habit {
  volume: number;
  muted: boolean;
  /** Of what is one long thing; everything else begins at its own speed. */
  speed: number;
  back: number;
  forward: number;
}

const usual: Habit = { volume: 1, muted: false, speed: 1, back: 15, forward: 30 };
const NAME = 'sound';

export class Habits {
  #value = $state.raw<Habit>(read());

  get value(): Readonly<Habit> {
    return this.#value;
  }

  change(part: Partial<Habit>): void {
    this.#value = { ...this.#value, ...part };
    storage.set(NAME, JSON.stringify(this.#value));
  }
}

function read(): Habit {
  let kept: Partial<Habit> | null = null;
  try {
    kept = JSON.parse(storage.get(NAME) ?? 'null') as Partial<Habit> | null;
  } catch {
    // Written by something else: begin anew.
  }
  const number = (name: 'volume' | 'speed' | 'back' | 'forward', fits: (value: number) => boolean) => {
    const value = kept?.[name];
    return typeof value === 'number' && fits(value) ? value : usual[name];
  };
  const isSkip = (value: number) => SKIPS.some((skip) => skip === value);
  return {
    volume: number('volume', (value) => value >= 0 && value <= 1),
    muted: kept?.muted === true,
    speed: number('speed', (value) => SPEEDS.some((speed) => speed === value)),
    back: number('back', isSkip),
    forward: number('forward', isSkip),
  };
}
