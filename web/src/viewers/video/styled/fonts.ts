/** The fonts that are attached to a film. */
import type { AttachedFont } from '../../../api/models';

/** Bytes of fonts that are loaded: more would need too much memory on phones. */
const MOST = 96 << 20;

/** Fetches fonts one after another, so that the film keeps its connections. Fonts that cannot be loaded are left out. */
export async function loadFonts(fonts: readonly AttachedFont[], signal: AbortSignal): Promise<Uint8Array[]> {
  const loaded: Uint8Array[] = [];
  let left = MOST;
  for (const { url, size } of fonts) {
    if (size > left) continue;
    try {
      const response = await fetch(url, { signal });
      if (!response.ok) continue;
      loaded.push(new Uint8Array(await response.arrayBuffer()));
      left -= size;
    } catch {
      if (signal.aborted) break;
    }
  }
  return loaded;
}
