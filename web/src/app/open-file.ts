/** Opens a file with its viewer. */
import type { Item, MediaFile } from '../api/models';
import { openPath, viewerTraits } from '../catalogue/viewer-ids';
import type { App } from './context';

/** Opens `file` at `from` in its unit, or at its saved position. */
export function open(
  { player, router }: Pick<App, 'player' | 'router'>,
  item: Item,
  file: MediaFile,
  from?: number,
): void {
  if (viewerTraits(file.viewer).background) player.play(item, file, from);
  else router.navigate(openPath(item, file) + (from === undefined ? '' : `?at=${from}`));
}
