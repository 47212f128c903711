/** Sources of pictures for the preview, and the choice among them. */
import type { Decision, Supports, Way } from '../../../playback/decode/decision';
import { needOf, type Device } from '../../../playback/decode/device';
import { nativeObstacle, type Facts } from '../../../playback/decode/native';
import type { Previews } from './previews';

/** A film as its preview sees it. */
export interface PreviewFilm {
  /** The film; null before it plays. */
  readonly there: { readonly reel: Facts & { readonly name: string; readonly content_url: string } } | null;
  readonly decision: Decision;
  /** The length is known. */
  readonly begun: boolean;
  /** Playback waits for data. */
  readonly waiting: boolean;
  /** The pictures; null before the first use of the timeline. The film closes them with its page. */
  previews: Previews | null;
}

export interface Taken {
  readonly picture: HTMLCanvasElement;
  /** Milliseconds that it took. */
  readonly cost: number;
}

export interface PreviewSource {
  /** Milliseconds that a picture may cost. */
  readonly limit: number;
  /** Returns the picture at a time; null if there is none. */
  take(at: number): Promise<Taken | null>;
  close(): void;
}

/** Width of a picture in pixels. */
export const WIDTH = 240;
/** Milliseconds that a key picture may cost. */
export const LIMIT = 300;
/** Share of the device's speed that playback may need, so that the preview does not disturb it. */
const SHARE = 0.5;

/** The part of the browser's network information that matters here. Not all browsers have it. */
export interface Network {
  readonly saveData?: boolean;
  readonly effectiveType?: string;
}

/**
 * Returns the source that is cheap for a film: a second element if the browser decodes the picture, otherwise the
 * decoders, if they play the film already; null for none.
 */
export function sourceOf(
  facts: Facts,
  way: Way,
  supports: Supports,
  device: Device,
  network: Network = {},
): 'element' | 'decoder' | null {
  const { vcodec, width, height } = facts;
  const isSlow = network.saveData === true || /2g|3g/.test(network.effectiveType ?? '');
  if (isSlow || way === 'no' || (vcodec === null && facts.container !== null)) return null;
  const silent = { ...facts, acodec: null, streams: [] };
  if (nativeObstacle(silent, null, supports.plays) === null) return 'element';
  if (way === 'native') return null;
  const speed = device.speeds[vcodec ?? ''];
  if (speed === undefined || !width || !height) return 'decoder';
  const isCheap = (width * height * 1000) / speed <= LIMIT;
  const hasRoom = way === 'transmux' || needOf(width, height) <= speed * SHARE;
  return isCheap && hasRoom ? 'decoder' : null;
}
