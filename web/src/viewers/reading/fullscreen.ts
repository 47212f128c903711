/** Filling the screen, where the browser lets a page do that. */
export const canFill = typeof document !== 'undefined' && document.fullscreenEnabled;

export function fill(element: HTMLElement): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void element.requestFullscreen().catch(() => {});
}
