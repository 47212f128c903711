/** The fine position within a unit, such as a line of a book, as the server stores it. */

/** Maximum size in bytes. */
const LONGEST = 1024;

export function fits(locator: string): boolean {
  return new TextEncoder().encode(locator).length <= LONGEST;
}

/** Returns null for an oversized locator: the position alone is sufficient. */
export function fitting(locator: string | null): string | null {
  return locator !== null && fits(locator) ? locator : null;
}
