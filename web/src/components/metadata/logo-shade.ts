/** The lightness of a logo. A light one is unreadable on a light page, and a dark one on a dark page. */

export type Shade = 'light' | 'dark' | 'middle';

/** Relative luminances between which a logo is readable in both themes. */
const DARK = 0.12;
const LIGHT = 0.55;

/** Returns the shade of the visible pixels. `pixels` contains RGBA values. */
export function shadeOf(pixels: Uint8ClampedArray): Shade {
  let sum = 0;
  let weight = 0;
  for (let at = 0; at + 3 < pixels.length; at += 4) {
    const alpha = (pixels[at + 3] ?? 0) / 255;
    const [red, green, blue] = [0, 1, 2].map((channel) => ((pixels[at + channel] ?? 0) / 255) ** 2.2);
    sum += alpha * (0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0));
    weight += alpha;
  }
  if (weight === 0) return 'middle';
  const luminance = sum / weight;
  return luminance > LIGHT ? 'light' : luminance < DARK ? 'dark' : 'middle';
}
