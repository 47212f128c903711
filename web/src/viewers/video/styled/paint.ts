/** Converts looks to CSS: only numbers and validated names. */
import { draw } from './drawing';
import type { Colour, Look } from './look';
import type { Clip } from './line';

/** Pixels per unit of the script. */
export interface Scale {
  x: number;
  y: number;
  /** The scale of outlines, shadows and blur. */
  border: number;
}

export type Styles = Record<string, string>;

/** Limit in pixels. Larger values are invisible, but slow to draw. */
const MOST = { height: 4000, border: 200, shade: 1000, blur: 100, spacing: 1000 };

const within = (number: number, most: number) => Math.min(most, Math.max(-most, number));

/** Returns the outline and the blur of a look in pixels. */
export function edges(look: Look, scale: Scale): { border: number; blur: number } {
  return {
    border: within(look.border * scale.border, MOST.border),
    blur: within(look.blur * scale.border, MOST.blur),
  };
}

const px = (number: number) => `${Math.round(number * 100) / 100}px`;

export const rgba = ([red, green, blue, opacity]: Colour) =>
  `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)} / ${Math.round(opacity * 1000) / 1000})`;

/** The fonts of a look, in order of preference. */
export const familyOf = ({ font }: Look) => `"${font}", Arial, "Liberation Sans", sans-serif`;

/** Returns the styles of a piece of text. `ratio` is the font size for a line height of 1. */
export function textStyles(look: Look, scale: Scale, ratio: (family: string) => number): Styles {
  const height = within((look.size * look.tall * scale.y) / 100, MOST.height);
  const { border, blur } = edges(look, scale);
  const shadow = [look.shadeX, look.shadeY].map((by) => px(within(by * scale.border, MOST.shade))).join(' ');
  const hasShadow = look.shadeX !== 0 || look.shadeY !== 0;
  const marks = [look.underline ? 'underline' : '', look.strike ? 'line-through' : ''].join(' ').trim();
  const styles: Styles = {
    'font-family': familyOf(look),
    'font-size': px(height * ratio(familyOf(look))),
    'line-height': px(height),
    'font-weight': String(Math.round(look.weight)),
    'font-style': look.italic ? 'italic' : 'normal',
    'text-decoration-line': marks || 'none',
    'letter-spacing': px(within(look.spacing * scale.x, MOST.spacing)),
    color: rgba(look.fill),
  };
  if (look.boxed) {
    return {
      ...styles,
      padding: px(border),
      'background-color': rgba(look.outline),
      'box-decoration-break': 'clone',
      '-webkit-box-decoration-break': 'clone',
      'box-shadow': hasShadow ? `${shadow} ${rgba(look.shade)}` : 'none',
    };
  }
  const outline = rgba(look.outline);
  // Copies are below the letters, and would show through an empty fill.
  const isFilled = look.fill[3] > 0.5;
  const isRinged = border > 0 && border <= THICK && look.outline[3] > 0.99 && isFilled;
  const around = [
    ...(isRinged ? ring(border).map((to) => `${to} 0 ${outline}`) : []),
    // A blurred outline glows.
    ...(blur > 0 && border > 0 ? [`0 0 ${px(blur + border)} ${outline}`] : []),
  ];
  const filters = [
    ...(blur > 0 && border === 0 ? [`blur(${px(blur)})`] : []),
    // One shadow for letters and outline.
    ...(hasShadow ? [`drop-shadow(${shadow} ${px(blur)} ${rgba(look.shade)})`] : []),
  ];
  return {
    ...styles,
    // Half of a stroke is inside the letters, below their fill.
    '-webkit-text-stroke': border > 0 && !isRinged ? `${px(border * 2)} ${outline}` : '0',
    'paint-order': 'stroke fill',
    'text-shadow': around.join(', ') || 'none',
    filter: filters.join(' ') || 'none',
  };
}

/** Maximum outline in pixels that is made of copies of the letters. A stroke of the browser has spikes at corners. */
const THICK = 12;

/** Offsets of the copies, which give an outline with round corners. */
function ring(border: number): string[] {
  const circle = (radius: number, count: number) =>
    Array.from({ length: count }, (_, at) => {
      const angle = (at / count) * 2 * Math.PI;
      return `${px(Math.cos(angle) * radius)} ${px(Math.sin(angle) * radius)}`;
    });
  const outer = circle(border, Math.min(32, Math.max(8, Math.ceil(border * 4))));
  return border > 3 ? [...outer, ...circle(border / 2, 8)] : outer;
}

/** Limits of the ratio of width to height of letters. */
const MOST_WIDE = 100;

/** Returns the rotation of a line from the look of its first piece. */
export function turnOf(look: Look, scale: Scale): string {
  const turns: string[] = [];
  if (look.turnX !== 0 || look.turnY !== 0) turns.push(`perspective(${px(312.5 * scale.y)})`);
  if (look.turnY !== 0) turns.push(`rotateY(${look.turnY}deg)`);
  if (look.turnX !== 0) turns.push(`rotateX(${look.turnX}deg)`);
  if (look.turnZ !== 0) turns.push(`rotateZ(${-look.turnZ}deg)`);
  if (look.slantX !== 0 || look.slantY !== 0)
    turns.push(`matrix(1, ${look.slantY}, ${look.slantX}, 1, 0, 0)`);
  // The font size sets the height of letters, so only the width remains.
  if (look.wide !== look.tall && look.tall > 0)
    turns.push(`scaleX(${within(look.wide / look.tall, MOST_WIDE)})`);
  return turns.join(' ');
}

/** Returns the visible part of a line in pixels of the picture. */
export function clipStyle(clip: Clip, scale: Scale, width: number, height: number): string {
  const all = `M0 0H${px(width).slice(0, -2)}V${px(height).slice(0, -2)}H0Z`;
  let inner: string;
  if (clip.box) {
    const [left, top, right, bottom] = clip.box;
    const [x1, x2] = [left * scale.x, right * scale.x].map((at) => px(at).slice(0, -2));
    const [y1, y2] = [top * scale.y, bottom * scale.y].map((at) => px(at).slice(0, -2));
    inner = `M${x1} ${y1}H${x2}V${y2}H${x1}Z`;
  } else {
    const fine = 2 ** (clip.fine - 1);
    inner = draw(clip.drawing, scale.x / fine, scale.y / fine).path;
  }
  return clip.inverse ? `path(evenodd, "${all}${inner}")` : `path("${inner || 'M0 0'}")`;
}
