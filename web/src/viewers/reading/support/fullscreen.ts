/** Full screen, if the browser allows it. */
export const canFullscreen = typeof document !== 'undefined' && document.fullscreenEnabled;

export function toggleFullscreen(element: HTMLElement): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void element.requestFullscreen().catch(() => {});
}
