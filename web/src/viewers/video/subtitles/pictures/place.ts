/** Position of picture subtitles over the picture of a film. */
import { pictureIn, type Box, type Size } from '../../styled/place';

/** The sizes of a film: on a screen of square pixels, and as the file contains it. */
export interface FilmSize {
  readonly shown: Size;
  readonly stored: Size | null;
}

/** Height in lines up to which areas are those of television and DVD, whose pixels are not square. */
const TELEVISION = 576;
/** Subtitles below this share of the area count as bottom ones, which move above the controls. */
const FOOT = 0.6;

/** Returns the box of the pictures within their area. */
export function boundsOf(pictures: readonly (Size & { x: number; y: number })[]): Box {
  const left = Math.min(...pictures.map(({ x }) => x));
  const top = Math.min(...pictures.map(({ y }) => y));
  const right = Math.max(...pictures.map(({ x, width }) => x + width));
  const bottom = Math.max(...pictures.map(({ y, height }) => y + height));
  return { left, top, width: right - left, height: bottom - top };
}

/**
 * Returns the box of pictures in the player, and whether it is at the foot. Films are often cropped, but their subtitles
 * keep the area of the disc: the area is centred on the picture then, and the box stays within the player.
 */
export function placeOf(bounds: Box, area: Size, film: FilmSize, player: Size): Box & { isFoot: boolean } {
  const picture = pictureIn(player, film.shown);
  const scale = scaleOf(area, film, picture, player);
  const width = bounds.width * scale.x;
  const height = bounds.height * scale.y;
  const left = picture.left + picture.width / 2 + (bounds.left - area.width / 2) * scale.x;
  const top = picture.top + picture.height / 2 + (bounds.top - area.height / 2) * scale.y;
  return {
    left: within(left, player.width - width),
    top: within(top, player.height - height),
    width,
    height,
    isFoot: bounds.top + bounds.height > area.height * FOOT,
  };
}

function scaleOf(area: Size, { stored }: FilmSize, picture: Box, player: Size): { x: number; y: number } {
  const fit = { x: picture.width / area.width, y: picture.height / area.height };
  // The same columns as the film: the same pixels, of whatever shape, with lines that the film may lack.
  if (stored && stored.width === area.width) return { x: fit.x, y: picture.height / stored.height };
  if (area.height <= TELEVISION) return fit;
  // Lines often fill the whole width, so the area is never wider than the player.
  const cover = Math.min(Math.max(fit.x, fit.y), player.width / area.width);
  return { x: cover, y: cover };
}

function within(value: number, most: number): number {
  return Math.max(0, Math.min(value, most));
}
