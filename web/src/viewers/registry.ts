/** What opens a file, by the viewer's name the server gives it. The one place that knows these names. */
import type { Component } from 'svelte';
import type { Item, MediaFile, MediaType } from '../api/types';
import type { App } from '../lib/app';
import type { Deck } from '../media/deck.svelte';
import type { Reached } from '../progress/places.svelte';

export interface ViewerProps {
  item: Item;
  file: MediaFile;
  /** The position to begin at, in the file's unit. */
  start: number;
  /** Whether someone asked for that very place, rather than to go on. */
  chosen: boolean;
  /** Tells each new place, as often as it likes. */
  onprogress: (reached: Reached) => void;
  /** Tells that it stands still for now: what was told last is worth keeping at once. */
  onpause: () => void;
  onclose: () => void;
}

/** A viewer has a page of its own, or plays in the background. */
export type Viewer =
  | {
      on: 'page';
      load: () => Promise<{ default: Component<ViewerProps> }>;
      streams?: boolean;
      /** Whether it keeps saves. */
      saves?: boolean;
    }
  | {
      on: 'background';
      start: (player: Deck, item: Item, file: MediaFile, from?: number) => void;
      streams?: boolean;
      saves?: never;
    };

const viewers: Readonly<Record<string, Viewer>> = {
  comic: { on: 'page', load: () => import('./comic/Comic.svelte') },
  epub: { on: 'page', load: () => import('./epub/Epub.svelte') },
  pdf: { on: 'page', load: () => import('./pdf/Pdf.svelte') },
  game: { on: 'page', load: () => import('./game/Game.svelte'), saves: true },
  audio: {
    on: 'background',
    start: (player, item, file, from) => player.play(item, file, from),
    streams: true,
  },
  video: { on: 'page', load: () => import('./video/Video.svelte'), streams: true },
};

const fallback: Viewer = { on: 'page', load: () => import('./download/Download.svelte') };

export function viewerFor(id: string): Viewer {
  return (Object.hasOwn(viewers, id) ? viewers[id] : undefined) ?? fallback;
}

/** Whether something here can show the file itself. */
export function canOpen(id: string): boolean {
  return Object.hasOwn(viewers, id);
}

/** Whether a kind's files are played by the browser's own engine, which may lack a codec. */
export function streams(kind: MediaType): boolean {
  return Object.values(kind.viewers).some((id) => viewerFor(id).streams);
}

/** Opens `file` the way its viewer wants it, at `from` or where it was left. */
export function open(
  { player, router }: Pick<App, 'player' | 'router'>,
  item: Item,
  file: MediaFile,
  from?: number,
): void {
  const viewer = viewerFor(file.viewer);
  if (viewer.on === 'background') viewer.start(player, item, file, from);
  else router.navigate(openPath(item, file) + (from === undefined ? '' : `?at=${from}`));
}

export function openPath(item: Pick<Item, 'id'>, file: Pick<MediaFile, 'id'>): string {
  return `/items/${item.id}/open/${file.id}`;
}
