/** Parses a SubStation Alpha script: its coordinate space, its styles, and its lines by time. */
import { amount, colour, fontName, LIMITS, PLAIN, type Colour, type Look } from './look';

export interface Style {
  look: Look;
  /** As on a numeric keypad: 1 is bottom left, 9 is top right. */
  align: number;
  left: number;
  right: number;
  vertical: number;
}

export interface Line {
  /** In seconds. */
  start: number;
  end: number;
  layer: number;
  /** The index in the script. */
  order: number;
  style: Style;
  left: number;
  right: number;
  vertical: number;
  text: string;
}

export interface Script {
  width: number;
  height: number;
  /** Line wrapping mode of lines that do not set one. */
  wrap: number;
  /** True if outlines scale with the picture. */
  scaled: boolean;
  styles: ReadonlyMap<string, Style>;
  /** Sorted by start. */
  lines: readonly Line[];
  /** The latest end of each line and all previous lines. */
  latest: readonly number[];
}

/** Maximum number of lines in a script. */
const MOST_LINES = 100_000;
/** Maximum number of styles in a script. */
const MOST_STYLES = 2000;
/** Maximum number of simultaneous lines; signs of many pieces take some dozens. */
export const MOST_SHOWN = 250;
/** Maximum number of letters, tags included, of simultaneous lines and of one line. */
const MOST_LETTERS = 200_000;

const EVENT = 'layer,start,end,style,name,marginl,marginr,marginv,effect,text'.split(',');
const NEWER = (
  'name,fontname,fontsize,primarycolour,secondarycolour,outlinecolour,backcolour,bold,italic,underline,' +
  'strikeout,scalex,scaley,spacing,angle,borderstyle,outline,shadow,alignment,marginl,marginr,marginv,encoding'
).split(',');
const OLDER = (
  'name,fontname,fontsize,primarycolour,secondarycolour,tertiarycolour,backcolour,bold,italic,borderstyle,' +
  'outline,shadow,alignment,marginl,marginr,marginv,alphalevel,encoding'
).split(',');

const USUAL: Style = { look: PLAIN, align: 2, left: 20, right: 20, vertical: 20 };

type Fields = Record<string, string | undefined>;

/** Splits a line into fields by name; the last field contains the rest. */
function fields(text: string, order: readonly string[]): Fields {
  const found: Fields = Object.create(null) as Fields;
  let at = 0;
  order.forEach((name, index) => {
    if (at > text.length) return;
    const comma = index === order.length - 1 ? -1 : text.indexOf(',', at);
    const end = comma < 0 ? text.length : comma;
    found[name] = text.slice(at, end).trim();
    at = end + 1;
  });
  return found;
}

const namesOf = (text: string) => text.split(',').map((name) => name.trim().toLowerCase());

export function parse(text: string): Script {
  const info: Fields = Object.create(null) as Fields;
  const styles = new Map<string, Style>();
  const events: Fields[] = [];
  let section = '';
  let order: readonly string[] = EVENT;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line.startsWith('[')) {
      section = line.toLowerCase();
      if (section === '[v4+ styles]') order = NEWER;
      if (section === '[v4 styles]') order = OLDER;
      if (section === '[events]') order = EVENT;
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const key = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (section === '[script info]') info[key] = value;
    else if (key === 'format') order = namesOf(value);
    else if (key === 'style' && styles.size < MOST_STYLES) {
      const said = fields(value, order);
      const name = styleName(said.name ?? '');
      if (name) styles.set(name, styleOf(said, section === '[v4 styles]'));
    } else if (key === 'dialogue' && section === '[events]' && events.length < MOST_LINES) {
      events.push(fields(value, order));
    }
  }
  return { ...sizeOf(info), ...waysOf(info), styles, ...timed(events, styles) };
}

function waysOf(info: Fields): Pick<Script, 'wrap' | 'scaled'> {
  return {
    wrap: amount(info.wrapstyle, [0, 3]) ?? 0,
    scaled: !/^(no|0)/i.test(info.scaledborderandshadow ?? ''),
  };
}

/** Returns the coordinate space of a script. A missing half is derived from the other. */
function sizeOf(info: Fields): Pick<Script, 'width' | 'height'> {
  const side = (text: string | undefined) => Math.trunc(amount(text, [0, 100_000]) ?? 0) || null;
  const [width, height] = [side(info.playresx), side(info.playresy)];
  if (width && height) return { width, height };
  if (height) return { width: height === 1024 ? 1280 : (height * 4) / 3, height };
  if (width) return { width, height: width === 1280 ? 1024 : (width * 3) / 4 };
  return { width: 384, height: 288 };
}

/** Some programs mark style names with an asterisk, and omit it in lines. */
const styleName = (name: string) => name.replace(/^\*+/, '').toLowerCase();

export function styleNamed(styles: ReadonlyMap<string, Style>, name: string): Style | undefined {
  return styles.get(styleName(name.trim()));
}

function styleOf(said: Fields, isOlder: boolean): Style {
  const { size, border, shade, scale, spacing, angle } = LIMITS;
  const number = (name: string, within: readonly [number, number], otherwise: number) =>
    amount(said[name], within) ?? otherwise;
  const tint = (name: string, otherwise: Colour) => colour(said[name] ?? '') ?? otherwise;
  const is = (name: string) => (amount(said[name], [-1, 1]) ?? 0) !== 0;
  const back = tint('backcolour', PLAIN.shade);
  const distance = number('shadow', shade, PLAIN.shadeX);
  const look: Look = {
    ...PLAIN,
    font: fontName(said.fontname ?? '') || PLAIN.font,
    size: number('fontsize', size, PLAIN.size),
    weight: is('bold') ? 700 : 400,
    italic: is('italic'),
    underline: is('underline'),
    strike: is('strikeout'),
    fill: tint('primarycolour', PLAIN.fill),
    unsung: tint('secondarycolour', PLAIN.unsung),
    // The older format has one colour for outline and shadow.
    outline: isOlder ? opaque(back) : tint('outlinecolour', PLAIN.outline),
    shade: isOlder ? [back[0], back[1], back[2], 0.5] : back,
    border: number('outline', border, PLAIN.border),
    shadeX: distance,
    shadeY: distance,
    spacing: number('spacing', spacing, 0),
    wide: number('scalex', scale, 100),
    tall: number('scaley', scale, 100),
    turnZ: number('angle', angle, 0),
    boxed: amount(said.borderstyle, [0, 9]) === 3,
  };
  if (isOlder) [look.fill, look.unsung] = [opaque(look.fill), opaque(look.unsung)];
  const align = number('alignment', [1, 11], 2);
  return {
    look,
    align: isOlder ? olderAlign(align) : within9(align),
    left: margin(said.marginl) ?? 0,
    right: margin(said.marginr) ?? 0,
    vertical: margin(said.marginv) ?? 0,
  };
}

const opaque = ([red, green, blue]: Colour): Colour => [red, green, blue, 1];
const margin = (text: string | undefined) => amount(text, LIMITS.place);

/** The older format uses 1 to 3 at the bottom, from 5 at the top, and from 9 in the middle. */
export function olderAlign(number: number): number {
  const column = Math.trunc(number) & 3 || 2;
  if (number >= 9) return column + 3;
  return number >= 5 ? column + 6 : column;
}

export function within9(number: number): number {
  return Math.min(9, Math.max(1, Math.trunc(number)));
}

/** Parses `1:02:03.45` to seconds; null if invalid. */
export function seconds(text: string | undefined): number | null {
  const found = /^(\d{1,6}):(\d{1,6}):(\d{1,6}(?:[.,]\d*)?)$/.exec((text ?? '').trim());
  if (!found) return null;
  const [, hours, minutes, rest] = found;
  return Number(hours) * 3600 + Number(minutes) * 60 + Number((rest ?? '').replace(',', '.'));
}

function timed(
  events: readonly Fields[],
  styles: ReadonlyMap<string, Style>,
): Pick<Script, 'lines' | 'latest'> {
  const usual = styleNamed(styles, 'Default') ?? [...styles.values()][0] ?? USUAL;
  const lines: Line[] = [];
  events.forEach((said, order) => {
    const [start, end] = [seconds(said.start), seconds(said.end)];
    if (start === null || end === null || end <= start || !said.text) return;
    // Far above the needs of any drawing; a browser hangs while it lays out more.
    if (said.text.length > MOST_LETTERS) return;
    const style = styleNamed(styles, said.style ?? '') ?? usual;
    lines.push({
      start,
      end,
      layer: Math.trunc(amount(said.layer, [-1000, 1000]) ?? 0),
      order,
      style,
      // A margin of 0 selects that of the style.
      left: margin(said.marginl) || style.left,
      right: margin(said.marginr) || style.right,
      vertical: margin(said.marginv) || style.vertical,
      text: said.text,
    });
  });
  lines.sort((a, b) => a.start - b.start || a.order - b.order);
  let last = 0;
  return { lines, latest: lines.map((line) => (last = Math.max(last, line.end))) };
}

/** Returns the lines of a moment in their stacking order. */
export function shownAt({ lines, latest }: Script, time: number): Line[] {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lines[middle]?.start ?? Infinity) <= time) low = middle + 1;
    else high = middle;
  }
  const shown: Line[] = [];
  let letters = 0;
  const isFull = () => shown.length >= MOST_SHOWN || letters > MOST_LETTERS;
  // Searches backwards to the line at which all previous lines have ended.
  for (let at = low - 1; at >= 0 && (latest[at] ?? 0) > time && !isFull(); at -= 1) {
    const line = lines[at];
    if (!line || line.end <= time) continue;
    shown.push(line);
    letters += line.text.length;
  }
  return shown.sort((a, b) => a.layer - b.layer || a.order - b.order);
}
