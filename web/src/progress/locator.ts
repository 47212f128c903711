/** The finer place within a position, such as a line of a book, as the server keeps it. */

/** Bytes it may have. */
const LONGEST = 1024;

export function fits(locator: string): boolean {
  return new TextEncoder().encode(locator).length <= LONGEST;
}

/** A place that does not fit is none: the position alone is one. */
export function fitting(locator: string | null): string | null {
  return locator !== null && fits(locator) ? locator : null;
}
