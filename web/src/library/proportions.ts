/** The shape of the real thing: its own cover's where there is one, else the usual one of its kind. */
import type { Cover, MediaType } from '../api/types';

const LOW = 0.4;
const HIGH = 2.4;

/** Shorter sides are those of placeholders: a drawn cover says more. */
const SPECK = 16;

export function isSpeck({ width, height }: Cover): boolean {
  return Math.min(width, height) < SPECK;
}

export function proportions(cover: Cover | null, kind: MediaType): number {
  const own = cover && !isSpeck(cover) ? cover.width / cover.height : kind.aspect;
  return Math.min(HIGH, Math.max(LOW, own));
}

/** Width of an object on a mixed shelf: tall things stand higher, wide ones lower, none towers over the rest. */
export function shelfWidth(aspect: number): number {
  const height = Math.max(152, 210 - Math.max(0, aspect - 2 / 3) * 156);
  return Math.round(height * aspect);
}

const WIDTHS = { small: 240, medium: 480, large: 960 } as const;
export type Size = keyof typeof WIDTHS;

/** Address of a cover at one size. */
export function sized(url: string, size: Size): string {
  return `${url}${url.includes('?') ? '&' : '?'}size=${size}`;
}

/** What a browser chooses from: no picture is larger than the cover itself. */
export function sources({ url, width }: Cover): string {
  const sizes = Object.entries(WIDTHS) as [Size, number][];
  const made = sizes.filter((_, index) => index === 0 || width > (sizes[index - 1]?.[1] ?? 0));
  return made.map(([size, wide]) => `${sized(url, size)} ${Math.min(wide, width)}w`).join(', ');
}
