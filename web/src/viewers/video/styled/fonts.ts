/** How large letters are in a line of a given height. */

let pen: CanvasRenderingContext2D | null = null;
const ratios = new Map<string, number>();

/** A font's size in a line of the height 1: scripts tell how high a line is from top to bottom. */
export function ratio(family: string): number {
  const known = ratios.get(family);
  if (known !== undefined) return known;
  pen ??= document.createElement('canvas').getContext('2d');
  let found = 0.87;
  if (pen) {
    pen.font = `100px ${family}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = pen.measureText('x');
    if (above + below > 0) found = 100 / (above + below);
  }
  if (ratios.size < 1000) ratios.set(family, found);
  return found;
}
