/** Settings of the book reader on this device. */
import { storage } from '../../../lib/env';
import { PAPERS, type PaperName } from '../../reading/support/papers';

export const SIZE = { low: 70, high: 220, step: 10 } as const;
export const LINE = { low: 1.2, high: 2.1, step: 0.1 } as const;
export const FACES = ['serif', 'sans', 'clear', 'own'] as const;
export const MARGINS = ['narrow', 'medium', 'wide'] as const;

export interface Reading {
  paper: PaperName;
  /** Per cent of 18 pixels. */
  size: number;
  line: number;
  face: (typeof FACES)[number];
  margins: (typeof MARGINS)[number];
  justify: boolean;
  flow: 'pages' | 'scroll';
}

const NAME = 'reading';

export class ReadingSettings {
  #value = $state.raw<Reading>(standard(false));
  /** Called after each change. */
  onchange: (value: Reading) => void = () => {};

  constructor(dark: boolean) {
    this.#value = { ...standard(dark), ...read() };
  }

  get value(): Reading {
    return this.#value;
  }

  change(part: Partial<Reading>): void {
    this.#value = { ...this.#value, ...part };
    storage.set(NAME, JSON.stringify(this.#value));
    this.onchange(this.#value);
  }
}

function standard(dark: boolean): Reading {
  return {
    paper: dark ? 'dusk' : 'cream',
    size: 100,
    line: 1.6,
    face: 'serif',
    margins: 'medium',
    justify: true,
    flow: 'pages',
  };
}

/** Returns the stored settings, as far as they are valid. */
export function read(text: string | null = storage.get(NAME)): Partial<Reading> {
  const found: Partial<Reading> = {};
  let kept: Partial<Record<keyof Reading, unknown>> | null;
  try {
    kept = JSON.parse(text ?? 'null') as typeof kept;
  } catch {
    return found; // not written by this version
  }
  if (typeof kept !== 'object' || kept === null) return found;
  const { paper, size, line, face, margins, justify, flow } = kept;
  if (typeof paper === 'string' && Object.hasOwn(PAPERS, paper)) found.paper = paper as PaperName;
  if (typeof size === 'number' && size >= SIZE.low && size <= SIZE.high) found.size = size;
  if (typeof line === 'number' && line >= LINE.low && line <= LINE.high) found.line = line;
  const known = FACES.find((one) => one === face);
  if (known) found.face = known;
  const margin = MARGINS.find((one) => one === margins);
  if (margin) found.margins = margin;
  if (typeof justify === 'boolean') found.justify = justify;
  if (flow === 'pages' || flow === 'scroll') found.flow = flow;
  return found;
}
