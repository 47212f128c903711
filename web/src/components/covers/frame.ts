/** The present picture of a viewer as the cover of its item. */
import type { ApiClient } from '../../api/client';
import { expireItems } from '../../api/items/item-keys';
import type { QueryCache } from '../../api/query.svelte';
import { upload } from './candidates';

export type Frame = HTMLVideoElement | HTMLCanvasElement | HTMLImageElement;

/** Longest side of a cover in pixels. */
const LONGEST = 2000;
const QUALITY = 0.9;

/** The viewer shows no picture yet, or the browser cannot read it. */
export class NoPicture extends Error {}

/** Returns the size of a frame in pixels, reduced to the largest size of a cover. */
export function coverSize(frame: Frame): { width: number; height: number } {
  const [width, height] =
    'videoWidth' in frame
      ? [frame.videoWidth, frame.videoHeight]
      : 'naturalWidth' in frame
        ? [frame.naturalWidth, frame.naturalHeight]
        : [frame.width, frame.height];
  const factor = Math.min(1, LONGEST / Math.max(1, width, height));
  return { width: Math.round(width * factor), height: Math.round(height * factor) };
}

/** Draws a frame as a JPEG. */
async function asJpeg(frame: Frame): Promise<Blob> {
  const { width, height } = coverSize(frame);
  if (width === 0 || height === 0) throw new NoPicture();
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d', { alpha: false });
  if (frame instanceof HTMLCanvasElement) await redrawn(frame);
  context?.drawImage(frame, 0, 0, width, height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
  if (!blob) throw new NoPicture();
  return blob;
}

/** A canvas loses its picture after the screen has shown it. Its owner draws it again in the next frame, before this. */
async function redrawn(canvas: HTMLCanvasElement): Promise<void> {
  canvas.dispatchEvent(new Event('redraw'));
  await new Promise(requestAnimationFrame);
}

/** Uploads a frame as the cover of an item. */
export async function chooseFrame(
  { api, cache }: { api: ApiClient; cache: Pick<QueryCache, 'expire'> },
  item: number,
  frame: Frame,
): Promise<void> {
  await upload(api, item, await asJpeg(frame));
  expireItems(cache);
}
