/** Keeps the screen on during playback. Pages on plain HTTP and some browsers cannot. */

/** Keeps the screen on while a film plays, until the signal aborts. */
export function keepScreenOn(element: HTMLVideoElement, signal: AbortSignal): void {
  // eslint-disable-next-line no-restricted-properties -- absent on plain HTTP, which is tested here
  const locks = navigator.wakeLock as WakeLock | undefined;
  if (!locks) return;
  let held: WakeLockSentinel | null = null;
  let isWanted = false;
  const request = () => {
    // The browser releases the lock of a hidden page.
    if (!isWanted || document.visibilityState !== 'visible' || (held && !held.released)) return;
    locks.request('screen').then(
      (lock) => {
        if (isWanted) held = lock;
        else void lock.release();
      },
      () => {}, // the system refuses, for example at a low battery level
    );
  };
  const want = (wants: boolean) => () => {
    isWanted = wants;
    if (wants) return request();
    void held?.release();
    held = null;
  };
  element.addEventListener('play', want(true), { signal });
  element.addEventListener('pause', want(false), { signal });
  document.addEventListener('visibilitychange', request, { signal });
  signal.addEventListener('abort', want(false));
  want(!element.paused)();
}
