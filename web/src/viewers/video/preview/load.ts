/** Loads the code of the preview with the first use of the timeline. */

/** Returns the component; null if its code does not arrive. The timeline works without it. */
export function loadPreview() {
  return import('./Preview.svelte').then(
    ({ default: Preview }) => Preview,
    () => null,
  );
}
