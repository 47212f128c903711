/** Settings of the comic reader on this device. */
import { storage } from '../../lib/env';

export const MODES = ['single', 'spread', 'strip'] as const;
export const FITS = ['page', 'width', 'height'] as const;
export const WAYS = ['ltr', 'rtl'] as const;
export type Way = (typeof WAYS)[number];

export interface Looking {
  mode: (typeof MODES)[number];
  fit: (typeof FITS)[number];
}

const NAME = 'comics';
const STANDARD: Looking = { mode: 'spread', fit: 'page' };

export class ComicSettings {
  #value = $state.raw<Looking>({ ...STANDARD, ...read() });
  #way = $state<Way>('ltr');

  /** The reading direction comes from the book. A change by the user applies to that book only. */
  constructor(
    private readonly item: number,
    facts: Record<string, unknown>,
  ) {
    const own = storage.get(`${NAME}.way.${item}`);
    this.#way = WAYS.find((way) => way === own) ?? (facts.direction === 'rtl' ? 'rtl' : 'ltr');
  }

  get value(): Looking {
    return this.#value;
  }

  get way(): Way {
    return this.#way;
  }

  turn(way: Way): void {
    this.#way = way;
    storage.set(`${NAME}.way.${this.item}`, way);
  }

  change(part: Partial<Looking>): void {
    this.#value = { ...this.#value, ...part };
    storage.set(NAME, JSON.stringify(this.#value));
  }
}

/** Returns the stored settings, as far as they are valid. */
export function read(text: string | null = storage.get(NAME)): Partial<Looking> {
  let kept: Partial<Record<keyof Looking, unknown>> | null;
  try {
    kept = JSON.parse(text ?? 'null') as typeof kept;
  } catch {
    return {}; // not written by this version
  }
  const mode = MODES.find((one) => one === kept?.mode);
  const fit = FITS.find((one) => one === kept?.fit);
  return { ...(mode ? { mode } : {}), ...(fit ? { fit } : {}) };
}
