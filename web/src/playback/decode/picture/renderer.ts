/** Draws decoded pictures on a canvas. */
import type { Picture } from '../protocol';
import type { Field } from './fields';
import { PlainRenderer } from './plain';
import { WebGlRenderer } from './webgl';

export interface Renderer {
  /** True if it can draw the lines of one field. */
  readonly drawsFields?: boolean;
  /**
   * Draws a picture and gives the canvas its size. Without a field, the two of an interlaced picture are blended. Returns
   * false if that is not possible at the moment.
   */
  draw(picture: Picture, field?: Field): boolean;
  close(): void;
}

/** Returns the best renderer of this browser; null if it has none. */
export function rendererOf(canvas: HTMLCanvasElement): Renderer | null {
  const fast = WebGlRenderer.open(canvas);
  if (fast) return fast;
  const context = canvas.getContext('2d');
  return context && new PlainRenderer(canvas, context);
}
