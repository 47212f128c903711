/**
 * Covers that move between two pages in a view transition. Each name must be unique: a duplicate makes the browser skip
 * the whole transition. An item can have several cards on a page.
 */

const ITEM = /^\/items\/(\d+)$/;

/**
 * Names one cover for each path: the one inside `link`, otherwise the first visible one. Returns a function that
 * removes the names.
 */
export function nameCovers(paths: readonly string[], link: Element | null): () => void {
  const named: HTMLElement[] = [];
  for (const path of new Set(paths)) {
    const id = ITEM.exec(path)?.[1];
    const cover = id === undefined ? undefined : coverOf(id, link);
    if (!cover) continue;
    cover.style.viewTransitionName = `cover-${id}`;
    named.push(cover);
  }
  return () => named.forEach((cover) => (cover.style.viewTransitionName = ''));
}

function coverOf(id: string, link: Element | null): HTMLElement | undefined {
  const covers = [...document.querySelectorAll<HTMLElement>(`[data-cover="${id}"]`)];
  return covers.find((cover) => link?.contains(cover)) ?? covers.find(isInWindow);
}

function isInWindow(element: Element): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}
