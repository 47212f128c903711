/** Fetches the files of the other pages into the browser's cache. */
import { whenIdle } from '../lib/idle';

/** Milliseconds from the first content until the page is complete on a slow phone. */
const SETTLED = 4000;

/** Fetches the files after the first page is complete, unless the user saves data. */
export function prefetchPages(): void {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (!connection?.saveData) setTimeout(() => whenIdle(() => void prefetch()), SETTLED);
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
