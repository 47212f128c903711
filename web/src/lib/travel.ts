/**
 * The covers that move between two pages in a view transition. A name may be given to one element only: the same item
 * may have several cards on a page, and a name that occurs twice makes the browser skip the whole transition.
 */

const ITEM = /^\/items\/(\d+)$/;

/**
 * Names one cover for each of these paths: the one inside `link`, else the first one in the window. Returns a function
 * that takes the names away again.
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
