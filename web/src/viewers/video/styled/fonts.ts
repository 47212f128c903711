/** Font sizes from line heights. */

let pen: CanvasRenderingContext2D | null = null;
const ratios = new Map<string, number>();

/** Returns the font size for a line height of 1: scripts give the height of a line, not of a letter. */
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
