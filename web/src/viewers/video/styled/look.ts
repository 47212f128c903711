/** The look of a piece of text in units of its script, and interpolation between two looks. */

/** Red, green and blue up to 255, and opacity up to 1. */
export type Colour = readonly [red: number, green: number, blue: number, opacity: number];

export interface Look {
  font: string;
  size: number;
  weight: number;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  fill: Colour;
  /** Fill of a karaoke syllable before it is sung. */
  unsung: Colour;
  outline: Colour;
  shade: Colour;
  border: number;
  shadeX: number;
  shadeY: number;
  blur: number;
  spacing: number;
  /** Per cent of the normal width and height. */
  wide: number;
  tall: number;
  /** Degrees around each axis. */
  turnX: number;
  turnY: number;
  turnZ: number;
  slantX: number;
  slantY: number;
  /** True for a box in the colour of the outline instead of an outline. */
  boxed: boolean;
  /** Above 0 the text is a drawing; each step halves its units. */
  drawing: number;
}

export const PLAIN: Look = {
  font: 'Arial',
  size: 18,
  weight: 400,
  italic: false,
  underline: false,
  strike: false,
  fill: [255, 255, 255, 1],
  unsung: [255, 255, 0, 1],
  outline: [0, 0, 0, 1],
  shade: [0, 0, 0, 0.5],
  border: 2,
  shadeX: 2,
  shadeY: 2,
  blur: 0,
  spacing: 0,
  wide: 100,
  tall: 100,
  turnX: 0,
  turnY: 0,
  turnZ: 0,
  slantX: 0,
  slantY: 0,
  boxed: false,
  drawing: 0,
};

/**
 * Between these a number is believed. They are in the units of a script, which may be as fine as it likes: what a
 * browser is given to draw is limited in pixels, where it is painted.
 */
export const LIMITS = {
  size: [0, 100_000],
  border: [0, 100_000],
  shade: [-100_000, 100_000],
  blur: [0, 100_000],
  spacing: [-100_000, 100_000],
  scale: [0, 10_000],
  angle: [-36_000, 36_000],
  slant: [-20, 20],
  place: [-100_000, 100_000],
  /** Milliseconds. */
  time: [-1e7, 1e7],
} as const;

/** Returns the number at the start of a text, clamped; null without one. */
export function amount(text: string | undefined, [low, high]: readonly [number, number]): number | null {
  const number = Number.parseFloat(text ?? '');
  return Number.isFinite(number) ? Math.min(high, Math.max(low, number)) : null;
}

/** Parses `&HAABBGGRR`, `&HBBGGRR&` or a number; the first byte is the transparency. */
export function colour(text: string): Colour | null {
  const hex = /^\s*&?\s*[hH]\s*([0-9a-fA-F]{1,8})/.exec(text)?.[1];
  const number = hex === undefined ? Number.parseInt(text, 10) : Number.parseInt(hex, 16);
  if (!Number.isFinite(number)) return null;
  const bits = number >>> 0;
  return [bits & 255, (bits >>> 8) & 255, (bits >>> 16) & 255, 1 - (bits >>> 24) / 255];
}

/** Returns a font name without characters that end a CSS string. The prefix for vertical text is removed. */
export function fontName(text: string): string {
  return text
    .trim()
    .replace(/^@/, '')
    .replace(/[^\p{L}\p{N}\p{M} _.+-]/gu, '')
    .slice(0, 80);
}

const NUMBERS = [
  ...(['size', 'weight', 'border', 'shadeX', 'shadeY', 'blur', 'spacing', 'wide', 'tall'] as const),
  ...(['turnX', 'turnY', 'turnZ', 'slantX', 'slantY'] as const),
] as const;

/** Returns the progress of a transition, from 0 to 1. */
export function share(at: number, begin: number, end: number, bend: number): number {
  if (at >= end) return 1;
  return at <= begin ? 0 : ((at - begin) / (end - begin)) ** bend;
}

/** Interpolates between two looks. Values without intermediate steps already have the final value. */
export function blend(from: Look, to: Look, share: number): Look {
  if (share <= 0) return from;
  if (share >= 1) return to;
  const between = (a: number, b: number) => a + (b - a) * share;
  const mixed = { ...to };
  for (const name of NUMBERS) mixed[name] = between(from[name], to[name]);
  for (const name of ['fill', 'unsung', 'outline', 'shade'] as const) {
    const [a, b] = [from[name], to[name]];
    mixed[name] = [between(a[0], b[0]), between(a[1], b[1]), between(a[2], b[2]), between(a[3], b[3])];
  }
  return mixed;
}
