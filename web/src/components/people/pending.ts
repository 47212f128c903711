/** Repeats the request for a person while the server requests the details from providers. */

/** Waits before the repetitions, in milliseconds. The providers of the server limit the rate of requests. */
const WAITS = [1_000, 2_000, 4_000, 8_000, 15_000];

const isPageVisible = () => document.visibilityState === 'visible';

/**
 * Calls `refetch` after each wait, and `onend` after the last response. A wait begins after the response before it. A
 * hidden tab sends nothing, and loses no repetition. The returned function stops everything.
 */
export function repeat(
  refetch: () => Promise<unknown>,
  onend: () => void,
  isVisible: () => boolean = isPageVisible,
): () => void {
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (at: number) => {
    if (isStopped) return;
    const delay = WAITS[at];
    if (delay === undefined) onend();
    else timer = setTimeout(() => void (isVisible() ? request(at) : wait(at)), delay);
  };
  const request = async (at: number) => {
    // A failed request counts like a response without details. The page shows its error.
    await refetch().catch(() => undefined);
    wait(at + 1);
  };
  wait(0);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
