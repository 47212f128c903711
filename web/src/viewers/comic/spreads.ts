/** The pages of a comic that are shown side by side, and the size in which each is fetched. */

export interface ComicPage {
  n: number;
  /** In pixels; null if it would take too long to determine. */
  width: number | null;
  height: number | null;
}

/** Returns the spreads in reading order. The cover and wide pages are single. */
export function spreads(wide: readonly boolean[], paired: boolean): number[][] {
  const all: number[][] = [];
  for (let page = 0; page < wide.length; page += 1) {
    const next = page + 1;
    const pair = paired && page > 0 && next < wide.length && !wide[page] && !wide[next];
    all.push(pair ? [page, next] : [page]);
    if (pair) page += 1;
  }
  return all;
}

/** Returns the index of the spread with a page. */
export function spreadOf(all: readonly number[][], page: number): number {
  const at = all.findIndex((pages) => pages.includes(page));
  return at < 0 ? Math.max(0, all.length - 1) : at;
}

const WIDTHS = [480, 720, 1080, 1440, 2160, 3200] as const;

/** Returns the next of a few widths, so that a small change of the window needs no request; null for the original. */
export function widthFor(pixels: number): number | null {
  return WIDTHS.find((width) => width >= pixels) ?? null;
}
