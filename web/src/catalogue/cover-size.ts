/** The aspect ratio of an item: that of its cover, otherwise the usual one of its kind. */
import type { Cover, MediaType } from '../api/models';

const LOW = 0.4;
const HIGH = 2.4;

/** Covers with a shorter side are placeholders: a drawn cover is better. */
const MIN_SIZE = 16;

export function isTooSmall({ width, height }: Cover): boolean {
  return Math.min(width, height) < MIN_SIZE;
}

export function proportions(cover: Cover | null, kind: MediaType): number {
  const own = cover && !isTooSmall(cover) ? cover.width / cover.height : kind.aspect;
  return Math.min(HIGH, Math.max(LOW, own));
}

/** Width of an object on a mixed shelf. It balances tall and wide objects. */
export function shelfWidth(aspect: number): number {
  const height = Math.max(152, 210 - Math.max(0, aspect - 2 / 3) * 156);
  return Math.round(height * aspect);
}

const WIDTHS = { small: 240, medium: 480, large: 960 } as const;
export type Size = keyof typeof WIDTHS;

/** Returns the address of a cover at one size. */
export function sizedUrl(url: string, size: Size): string {
  return `${url}${url.includes('?') ? '&' : '?'}size=${size}`;
}

/** The `srcset` of a cover. No candidate is larger than the cover itself. */
export function sources({ url, width }: Cover): string {
  const sizes = Object.entries(WIDTHS) as [Size, number][];
  const made = sizes.filter((_, index) => index === 0 || width > (sizes[index - 1]?.[1] ?? 0));
  return made.map(([size, wide]) => `${sizedUrl(url, size)} ${Math.min(wide, width)}w`).join(', ');
}
