/** Repeats the request for a person while the server requests the details from providers. */

/** Waits before the repetitions, in milliseconds. The providers of the server limit the rate of requests. */
const WAITS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** Calls `refetch` after each wait. The returned function stops that. */
export function repeat(refetch: () => void): () => void {
  let at = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const next = () => {
    const wait = WAITS[at++];
    if (wait === undefined) return;
    timer = setTimeout(() => {
      refetch();
      next();
    }, wait);
  };
  next();
  return () => clearTimeout(timer);
}
