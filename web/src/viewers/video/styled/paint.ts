/** Looks as a browser's styles: numbers and checked names only, whatever a script says. */
import { draw } from './drawing';
import type { Colour, Look } from './look';
import type { Clip } from './line';

/** Pixels of a script's unit. */
export interface Scale {
  x: number;
  y: number;
  /** Of outlines, shadows and blur. */
  border: number;
}

export type Styles = Record<string, string>;

/** Pixels beyond which nothing more is seen, and a browser is busy for long, whatever the unit of a script is. */
const MOST = { height: 4000, border: 200, shade: 1000, blur: 100, spacing: 1000 };

const within = (number: number, most: number) => Math.min(most, Math.max(-most, number));

/** The outline and the blur of a look, in pixels. */
export function edges(look: Look, scale: Scale): { border: number; blur: number } {
  return {
    border: within(look.border * scale.border, MOST.border),
    blur: within(look.blur * scale.border, MOST.blur),
  };
}

const px = (number: number) => `${Math.round(number * 100) / 100}px`;

export const rgba = ([red, green, blue, opacity]: Colour) =>
  `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)} / ${Math.round(opacity * 1000) / 1000})`;

/** The fonts of a look, in the order in which they are tried. */
export const familyOf = ({ font }: Look) => `"${font}", Arial, "Liberation Sans", sans-serif`;

/** What a piece of text is drawn with. `ratio` is a font's size in a line of the height 1. */
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
  // Copies lie below all of a letter, and would show where nothing fills it.
  const isFilled = look.fill[3] > 0.5;
  const isRinged = border > 0 && border <= THICK && look.outline[3] > 0.99 && isFilled;
  const around = [
    ...(isRinged ? ring(border).map((to) => `${to} 0 ${outline}`) : []),
    // A blurred outline glows.
    ...(blur > 0 && border > 0 ? [`0 0 ${px(blur + border)} ${outline}`] : []),
  ];
  const filters = [
    ...(blur > 0 && border === 0 ? [`blur(${px(blur)})`] : []),
    // The shadow of letters and outline together.
    ...(hasShadow ? [`drop-shadow(${shadow} ${px(blur)} ${rgba(look.shade)})`] : []),
  ];
  return {
    ...styles,
    // Half of a stroke lies within the letters, under what fills them.
    '-webkit-text-stroke': border > 0 && !isRinged ? `${px(border * 2)} ${outline}` : '0',
    'paint-order': 'stroke fill',
    'text-shadow': around.join(', ') || 'none',
    filter: filters.join(' ') || 'none',
  };
}

/** Thickest outline, in pixels, that is made of copies of the letters; a browser's own has spikes at their corners. */
const THICK = 12;

/** Places around letters whose copies make an outline with round corners. */
function ring(border: number): string[] {
  const circle = (radius: number, count: number) =>
    Array.from({ length: count }, (_, at) => {
      const angle = (at / count) * 2 * Math.PI;
      return `${px(Math.cos(angle) * radius)} ${px(Math.sin(angle) * radius)}`;
    });
  const outer = circle(border, Math.min(32, Math.max(8, Math.ceil(border * 4))));
  return border > 3 ? [...outer, ...circle(border / 2, 8)] : outer;
}

/** How many times as wide as tall letters may be. */
const MOST_WIDE = 100;

/** How the whole of a line is turned, by the look of its first piece. */
export function turnOf(look: Look, scale: Scale): string {
  const turns: string[] = [];
  if (look.turnX !== 0 || look.turnY !== 0) turns.push(`perspective(${px(312.5 * scale.y)})`);
  if (look.turnY !== 0) turns.push(`rotateY(${look.turnY}deg)`);
  if (look.turnX !== 0) turns.push(`rotateX(${look.turnX}deg)`);
  if (look.turnZ !== 0) turns.push(`rotateZ(${-look.turnZ}deg)`);
  if (look.slantX !== 0 || look.slantY !== 0)
    turns.push(`matrix(1, ${look.slantY}, ${look.slantX}, 1, 0, 0)`);
  // Letters are as tall as told by their size; only how wide they are is left.
  if (look.wide !== look.tall && look.tall > 0)
    turns.push(`scaleX(${within(look.wide / look.tall, MOST_WIDE)})`);
  return turns.join(' ');
}

/** What is seen of a line, in pixels of the picture. */
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
