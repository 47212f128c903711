/** Draws decoded pictures on a canvas. */
import type { Picture } from '../protocol';
import { PlainRenderer } from './plain';
import { WebGlRenderer } from './webgl';

export interface Renderer {
  /** Draws a picture and gives the canvas its size. Returns false if that is not possible at the moment. */
  draw(picture: Picture): boolean;
  close(): void;
}

/** Returns the best renderer of this browser; null if it has none. */
export function rendererOf(canvas: HTMLCanvasElement): Renderer | null {
  const fast = WebGlRenderer.open(canvas);
  if (fast) return fast;
  const context = canvas.getContext('2d');
  return context && new PlainRenderer(canvas, context);
}
