/**
 * View transitions between pages, with covers that move. Each name must be unique: a duplicate makes the browser skip
 * the whole transition. An item can have several cards on a page.
 */

const ITEM = /^\/items\/(\d+)$/;

/** Changes the page, with an animation if one is wanted. `change` returns true if its page is shown. */
export async function transition(
  between: readonly string[],
  link: Element | null,
  change: () => Promise<boolean>,
): Promise<void> {
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  if (still || !('startViewTransition' in document) || document.hidden) {
    await change();
    return;
  }
  let unname = nameCovers(between, link);
  const running = document.startViewTransition(async () => {
    unname();
    if (await change()) unname = nameCovers(between, null);
  });
  // A newer transition can skip this animation; the change itself still applies.
  running.ready.catch(() => {});
  running.finished.catch(() => {}).finally(() => unname());
  await running.updateCallbackDone;
}

/**
 * Names one cover for each path: the one inside `link`, otherwise the first visible one. Returns a function that
 * removes the names.
 */
function nameCovers(paths: readonly string[], link: Element | null): () => void {
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
