/** Vector drawings of scripts, converted to an SVG path that contains only numbers. */
import type { Point } from './line';

export interface Drawing {
  /** An SVG path. */
  path: string;
  /** Extent from the origin. */
  width: number;
  height: number;
}

/** Maximum number of points in a drawing. */
const MOST_POINTS = 4000;
/** Maximum coordinate in pixels. */
const FAR = 1e5;

/** Parses a drawing whose units are `across` and `down` pixels. */
export function draw(text: string, across: number, down: number): Drawing {
  const drawing: Drawing = { path: '', width: 0, height: 0 };
  let command = '';
  let points: Point[] = [];
  let x: number | null = null;
  let left = MOST_POINTS;
  const at = ({ x, y }: Point) => `${round(x)} ${round(y)}`;
  const flush = () => {
    if (points.length === 0) return;
    if (command === 'm' || command === 'n') drawing.path += points.map((point) => `M${at(point)}`).join('');
    else if (drawing.path === '')
      return; // a line needs a start point
    else if (command === 'l') drawing.path += points.map((point) => `L${at(point)}`).join('');
    else if (command === 'b') {
      for (let from = 0; from + 2 < points.length; from += 3)
        drawing.path += `C${points
          .slice(from, from + 3)
          .map(at)
          .join(' ')}`;
    } else
      drawing.path += spline(points)
        .map((curve) => `C${curve.map(at).join(' ')}`)
        .join('');
  };
  for (const [translate] of text.toLowerCase().matchAll(/[mnlbspc]|[+-]?(?:\d+\.?\d*|\.\d+)/g)) {
    const number = Number.parseFloat(translate);
    if (Number.isNaN(number)) {
      // Further points extend the spline.
      if (translate === 'p') continue;
      flush();
      if (command === 's' && translate === 'c') drawing.path += 'Z';
      [command, points, x] = [translate, [], null];
    } else if (command === '' || command === 'c') continue;
    else if (x === null) x = within(number * across);
    else if ((left -= 1) >= 0) {
      const point = { x, y: within(number * down) };
      drawing.width = Math.max(drawing.width, point.x);
      drawing.height = Math.max(drawing.height, point.y);
      points.push(point);
      x = null;
    }
  }
  flush();
  return drawing;
}

const within = (at: number) => Math.min(FAR, Math.max(-FAR, at));
const round = (number: number) => Math.round(number * 100) / 100;

/** Returns the Bézier curves of a uniform cubic B-spline. */
function spline(points: Point[]): Point[][] {
  const curves: Point[][] = [];
  const mix = (a: Point, b: Point, share: number): Point => ({
    x: a.x + (b.x - a.x) * share,
    y: a.y + (b.y - a.y) * share,
  });
  for (let from = 0; from + 3 < points.length; from += 1) {
    const [, second, third, fourth] = points.slice(from, from + 4) as [Point, Point, Point, Point];
    const into = mix(second, third, 2 / 3);
    curves.push([mix(second, third, 1 / 3), into, mix(into, mix(third, fourth, 1 / 3), 1 / 2)]);
  }
  return curves;
}
