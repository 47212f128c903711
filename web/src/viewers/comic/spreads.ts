/** Which pages of a comic stand side by side, and how large each is fetched. */

export interface ComicPage {
  n: number;
  /** In pixels; null where finding out would take too long. */
  width: number | null;
  height: number | null;
}

/** The pages that are seen together, in the order of reading: the cover alone, and a wide one alone. */
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

/** Where in the spreads a page is. */
export function spreadOf(all: readonly number[][], page: number): number {
  const at = all.findIndex((pages) => pages.includes(page));
  return at < 0 ? Math.max(0, all.length - 1) : at;
}

const WIDTHS = [480, 720, 1080, 1440, 2160, 3200] as const;

/** The next of a few widths, so that a window that grows a little fetches nothing anew; null for the page as it is. */
export function widthFor(pixels: number): number | null {
  return WIDTHS.find((width) => width >= pixels) ?? null;
}
