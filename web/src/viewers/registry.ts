/** What opens a file, by the viewer's name the server gives it. The one place that knows these names. */
import type { Component } from 'svelte';
import type { Item, MediaFile } from '../api/types';
import type { Player } from '../media/player.svelte';

export interface ViewerProps {
  item: Item;
  file: MediaFile;
  onclose: () => void;
}

/** A viewer has a page of its own, or plays in the background. */
export type Viewer =
  | { on: 'page'; load: () => Promise<{ default: Component<ViewerProps> }> }
  | { on: 'background'; start: (player: Player, item: Item, file: MediaFile) => void };

const viewers: Readonly<Record<string, Viewer>> = {
  audio: { on: 'background', start: (player, item, file) => player.play(item, file) },
  video: { on: 'page', load: () => import('./video/Video.svelte') },
};

const fallback: Viewer = { on: 'page', load: () => import('./download/Download.svelte') };

export function viewerFor(id: string): Viewer {
  return (Object.hasOwn(viewers, id) ? viewers[id] : undefined) ?? fallback;
}

/** Whether something here can show the file itself. */
export function canOpen(id: string): boolean {
  return Object.hasOwn(viewers, id);
}

/** Opens `file` the way its viewer wants it. */
export function open(player: Player, navigate: (to: string) => void, item: Item, file: MediaFile): void {
  const viewer = viewerFor(file.viewer);
  if (viewer.on === 'background') viewer.start(player, item, file);
  else navigate(openPath(item, file));
}

export function openPath(item: Item, file: MediaFile): string {
  return `/items/${item.id}/open/${file.id}`;
}
