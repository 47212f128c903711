/** Loads the component of a viewer by the name that the server gives it. */
import type { Component } from 'svelte';
import type { PageViewer } from '../catalogue/viewer-ids';
import type { ViewerProps } from './reading/support/viewer-props';

type Load = () => Promise<{ default: Component<ViewerProps> }>;

const viewers: Readonly<Record<PageViewer, Load>> = {
  comic: () => import('./comic/Comic.svelte'),
  epub: () => import('./epub/Epub.svelte'),
  pdf: () => import('./pdf/Pdf.svelte'),
  game: () => import('./game/Game.svelte'),
  video: () => import('./video/Video.svelte'),
};

/** Loads a viewer. Files without one are offered for download. */
export const loadViewer = (id: string): ReturnType<Load> =>
  Object.hasOwn(viewers, id) ? viewers[id as PageViewer]() : import('./download/Download.svelte');
