/** Work for idle periods of the browser. */

/** Calls `act` in an idle period. The returned function cancels the call. */
export function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === 'function') {
    const handle = requestIdleCallback(act, { timeout: 1000 });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(act, 50);
  return () => clearTimeout(timer);
}

/** Milliseconds until the first page is complete on a slow phone. */
const SETTLED = 4000;

/** Fetches the files of the other pages into the browser's cache, after the first page is complete. */
export function prefetchPages(): () => void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return () => {};
  let cancel = () => {};
  const timer = setTimeout(() => (cancel = whenIdle(prefetch)), SETTLED);
  return () => {
    clearTimeout(timer);
    cancel();
  };
}

function prefetch(): void {
  const list = document.querySelector<HTMLMetaElement>('meta[name="page-files"]')?.content ?? '{}';
  const files = new Set(Object.values(JSON.parse(list) as Record<string, string[]>).flat());
  for (const file of files) {
    const link = document.createElement('link');
    link.rel = 'prefetch';
    link.as = file.endsWith('.js') ? 'script' : 'style';
    link.crossOrigin = '';
    link.href = `/${file}`;
    document.head.append(link);
  }
}
