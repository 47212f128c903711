/** Measures the length of a film's frame, because elements do not report it. */

/** Number of measured frames. */
const ENOUGH = 24;
const SHORTEST = 0.001;
const LONGEST = 0.2;

/** Measures the first frames that are shown one after another, and returns the length in seconds once. */
export function measureFrames(
  element: HTMLVideoElement,
  signal: AbortSignal,
  onmeasured: (seconds: number) => void,
): void {
  let before: number | null = null;
  let shortest = LONGEST;
  let measured = 0;
  const look: VideoFrameRequestCallback = (_, { mediaTime }) => {
    const length = before === null ? 0 : mediaTime - before;
    before = mediaTime;
    // Seeks and dropped frames give longer or negative differences.
    if (length > SHORTEST && length < LONGEST) {
      shortest = Math.min(shortest, length);
      measured += 1;
    }
    if (measured >= ENOUGH) onmeasured(shortest);
    else if (!signal.aborted) element.requestVideoFrameCallback(look);
  };
  if ('requestVideoFrameCallback' in element) element.requestVideoFrameCallback(look);
}
