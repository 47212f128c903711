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
  const timer = setTimeout(() => (cancel = whenIdle(() => void prefetch())), SETTLED);
  return () => {
    clearTimeout(timer);
    cancel();
  };
}

/** Firefox applies `default-src` to links with `rel="prefetch"`, so the files are requested like data. */
async function prefetch(): Promise<void> {
  const list = document.querySelector<HTMLMetaElement>('meta[name="page-files"]')?.content ?? '{}';
  const files = new Set(Object.values(JSON.parse(list) as Record<string, string[]>).flat());
  for (const file of files) {
    try {
      const response = await fetch(`/${file}`, { priority: 'low' });
      await response.blob();
    } catch {
      return; // the pages request their files again
    }
  }
}
