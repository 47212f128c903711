/** The arithmetic of a grid that renders only the rows near the window. */

export interface Layout {
  columns: number;
  cellWidth: number;
  rowHeight: number;
  rows: number;
  height: number;
}

export interface Measures {
  total: number;
  width: number;
  /** Minimum width of a cell. */
  minimum: number;
  gapX: number;
  gapY: number;
  /** Aspect ratio of the object in a cell (width / height). */
  aspect: number;
  /** Height of the lines below the object. */
  caption: number;
  /** Minimum number of columns. */
  fewest?: number;
}

export function layout(m: Measures): Layout {
  const fitting = Math.floor((m.width + m.gapX) / (m.minimum + m.gapX));
  const columns = Math.max(m.fewest ?? 1, fitting, 1);
  const cellWidth = Math.max(0, (m.width - (columns - 1) * m.gapX) / columns);
  const rowHeight = cellWidth / m.aspect + m.caption + m.gapY;
  const rows = Math.ceil(m.total / columns);
  return { columns, cellWidth, rowHeight, rows, height: Math.max(0, rows * rowHeight - m.gapY) };
}

export interface Span {
  first: number;
  last: number;
}

/** Returns the rows within `overscan` rows of the window; `last` is exclusive. */
export function visibleRows(l: Layout, top: number, viewport: number, overscan: number): Span {
  if (l.rows === 0 || l.rowHeight <= 0) return { first: 0, last: 0 };
  const first = Math.floor(top / l.rowHeight) - overscan;
  const last = Math.ceil((top + viewport) / l.rowHeight) + overscan;
  return {
    first: Math.min(Math.max(0, first), l.rows),
    last: Math.max(0, Math.min(l.rows, last)),
  };
}

/** Returns the pages of `size` items that rows `first` to `last` need. */
export function pagesFor(l: Layout, span: Span, total: number, size: number): number[] {
  const from = span.first * l.columns;
  const to = Math.min(span.last * l.columns, total);
  if (to <= from) return [];
  const pages: number[] = [];
  for (let page = Math.floor(from / size); page <= Math.floor((to - 1) / size); page += 1) pages.push(page);
  return pages;
}

/** Returns the scroll offset at which item `index` is in the first row. */
export function offsetOf(l: Layout, index: number): number {
  return Math.floor(index / l.columns) * l.rowHeight;
}

/** Returns the largest box of `inner` proportions inside a box of `width` by `width / outer`. */
export function fit(inner: number, outer: number, width: number): { width: number; height: number } {
  const height = width / outer;
  return inner >= outer ? { width, height: width / inner } : { width: height * inner, height };
}
