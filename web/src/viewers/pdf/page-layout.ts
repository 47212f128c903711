/** Positions of the pages in a continuous scroll. Only the visible ones are drawn. */
import type { Size } from './pdf-file';

export const GAP = 14;
export const PAD = 16;
/** CSS pixels per point. */
const POINT = 96 / 72;
export const ZOOM = { low: 0.25, high: 5, steps: [0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4] } as const;

export type Zoom = 'auto' | 'page' | number;

/** Pixels per point. */
export function scaleFor(zoom: Zoom, page: Size, view: Size): number {
  const across = Math.max(100, view.width - 2 * PAD) / page.width;
  if (zoom === 'page') return Math.min(across, Math.max(100, view.height - 2 * PAD) / page.height);
  // As wide as the window, up to a readable width.
  if (zoom === 'auto') return Math.min(across, Math.max(1.6 * POINT, 900 / page.width));
  return zoom * POINT;
}

/** Returns the next zoom step up or down. */
export function stepped(scale: number, way: 1 | -1): number {
  const now = scale / POINT;
  const { low, high, steps } = ZOOM;
  const next =
    way === 1 ? steps.find((step) => step > now * 1.02) : steps.findLast((step) => step < now * 0.98);
  return next ?? (way === 1 ? high : low);
}

export const percentOf = (scale: number) => Math.round((scale / POINT) * 100);

/** Returns the top of each page, and finally the total height. */
export function tops(sizes: readonly Size[], scale: number): number[] {
  const edges: number[] = [];
  let at = PAD;
  for (const { height } of sizes) {
    edges.push(at);
    at += Math.round(height * scale) + GAP;
  }
  edges.push(at - GAP + PAD);
  return edges;
}

/**
 * The page that is read where the view begins at `y`: the last one at the very end, else the first that is seen whole,
 * else the one of which most is seen.
 */
export function readAt(edges: readonly number[], y: number, height: number): number {
  const last = Math.max(0, edges.length - 2);
  if (y > 0 && y + height >= (edges.at(-1) ?? 0) - 2) return last;
  let [best, most] = [0, -1];
  for (let page = pageAt(edges, y); page <= last; page += 1) {
    const [top, end] = [edges[page] ?? 0, (edges[page + 1] ?? 0) - (page === last ? PAD : GAP)];
    if (top >= y + height) break;
    if (top >= y && end <= y + height) return page;
    const seen = Math.min(end, y + height) - Math.max(top, y);
    if (seen > most) [best, most] = [page, seen];
  }
  return best;
}

/** Returns the page at a height. */
export function pageAt(edges: readonly number[], y: number): number {
  let low = 0;
  let high = Math.max(0, edges.length - 2);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((edges[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
