/** Changes of the look by override tags, at any moment of a line. */
import { sung, type Syllable } from './karaoke';
import { amount, blend, colour, fontName, LIMITS, share, type Colour, type Look } from './look';
import { inside, tagsOf, type Tag } from './tags';

/** The time for which a look is computed. */
export interface Moment {
  /** Milliseconds since the line appeared, and its duration. */
  at: number;
  length: number;
  /** The look of the line's own style. */
  own: Look;
  named: (style: string) => Look | undefined;
}

export type Change = (look: Look, moment: Moment) => Look;

/** Sets a number, or resets it to that of the style. */
const set =
  <Name extends 'border' | 'spacing' | 'blur' | 'wide' | 'tall' | 'slantX' | 'slantY'>(
    name: Name,
    value: number | null,
  ): Change =>
  (look, { own }) => ({ ...look, [name]: value ?? own[name] });

/** The painted part of each tag. */
const PAINTS: Readonly<Record<string, 'fill' | 'unsung' | 'outline' | 'shade'>> = {
  ...{ c: 'fill', '1c': 'fill', '1a': 'fill' },
  ...{ '2c': 'unsung', '2a': 'unsung' },
  ...{ '3c': 'outline', '3a': 'outline', '4c': 'shade', '4a': 'shade' },
};

export function changeOf({ name, rest }: Tag): Change | null {
  const { border, shade, blur, scale, spacing, angle, slant } = LIMITS;
  const flag = () => amount(rest, [0, 1000]);
  switch (name) {
    case 'b':
      return (look, { own }) => ({ ...look, weight: weightOf(flag()) ?? own.weight });
    case 'i':
      return (look, { own }) => ({ ...look, italic: orElse(flag(), own.italic) });
    case 'u':
      return (look, { own }) => ({ ...look, underline: orElse(flag(), own.underline) });
    case 's':
      return (look, { own }) => ({ ...look, strike: orElse(flag(), own.strike) });
    case 'fn': {
      const font = fontName(rest);
      return (look, { own }) => ({ ...look, font: font && font !== '0' ? font : own.font });
    }
    case 'fs':
      return sizeChange(rest);
    case 'fsp':
      return set('spacing', amount(rest, spacing));
    case 'fscx':
      return set('wide', amount(rest, scale));
    case 'fscy':
      return set('tall', amount(rest, scale));
    case 'fsc':
      return (look, { own }) => ({ ...look, wide: own.wide, tall: own.tall });
    case 'bord':
    case 'xbord':
    case 'ybord':
      return set('border', amount(rest, border));
    case 'shad':
    case 'xshad':
    case 'yshad': {
      const by = amount(rest, shade);
      return (look, { own }) => ({
        ...look,
        shadeX: name === 'yshad' ? look.shadeX : (by ?? own.shadeX),
        shadeY: name === 'xshad' ? look.shadeY : (by ?? own.shadeY),
      });
    }
    case 'be':
    case 'blur':
      return set('blur', amount(rest, blur));
    case 'frx':
    case 'fry':
    case 'frz':
    case 'fr': {
      const by = amount(rest, angle);
      const turn = name === 'frx' ? 'turnX' : name === 'fry' ? 'turnY' : 'turnZ';
      return (look, { own }) => ({ ...look, [turn]: by ?? own[turn] });
    }
    case 'fax':
      return set('slantX', amount(rest, slant));
    case 'fay':
      return set('slantY', amount(rest, slant));
    case 'p': {
      const drawing = Math.trunc(amount(rest, [0, 10]) ?? 0);
      return (look) => ({ ...look, drawing });
    }
    case 'r':
      return (look, { own, named }) => ({ ...(named(rest) ?? own), drawing: look.drawing });
    case 't':
      return overTime(inside(rest));
    default:
      return paintChange(name, rest);
  }
}

const orElse = (flag: number | null, otherwise: boolean) => (flag === null ? otherwise : flag !== 0);

function weightOf(flag: number | null): number | null {
  if (flag === null) return null;
  return flag >= 100 ? flag : flag > 0 ? 700 : 400;
}

/** A size; with a sign, tenths of the previous size to add. */
function sizeChange(rest: string): Change {
  const by = amount(rest, [-10, LIMITS.size[1]]);
  const isStep = /^[+-]/.test(rest);
  return (look, { own }) => {
    const size = by === null ? own.size : isStep ? look.size * Math.max(0, 1 + by / 10) : by;
    return { ...look, size: size > 0 ? Math.min(size, LIMITS.size[1]) : own.size };
  };
}

function paintChange(name: string, rest: string): Change | null {
  if (name === 'alpha') {
    const clear = transparency(rest);
    return (look, { own }) => {
      const with3 = (paint: Colour, usual: Colour) => faded(paint, clear ?? usual[3]);
      return {
        ...look,
        fill: with3(look.fill, own.fill),
        unsung: with3(look.unsung, own.unsung),
        outline: with3(look.outline, own.outline),
        shade: with3(look.shade, own.shade),
      };
    };
  }
  const paint = PAINTS[name];
  if (paint === undefined) return null;
  if (name.endsWith('a')) {
    const clear = transparency(rest);
    return (look, { own }) => ({ ...look, [paint]: faded(look[paint], clear ?? own[paint][3]) });
  }
  const tint = colour(/^&?[hH]/.test(rest) ? rest : `&H${rest.replace(/^&/, '')}`);
  return (look, { own }) => {
    const [red, green, blue] = tint ?? own[paint];
    return { ...look, [paint]: [red, green, blue, look[paint][3]] satisfies Colour };
  };
}

const faded = ([red, green, blue]: Colour, opacity: number): Colour => [red, green, blue, opacity];

/** Returns the opacity of `&H80&`. */
function transparency(rest: string): number | null {
  const hex = /^&?[hH]?([0-9a-fA-F]{1,2})/.exec(rest)?.[1];
  return hex === undefined ? null : 1 - Number.parseInt(hex, 16) / 255;
}

/** `\t`: a transition from the previous look to that of the inner tags. */
function overTime(text: string): Change | null {
  const slash = text.indexOf('\\');
  if (slash < 0) return null;
  const changes = tagsOf(text.slice(slash)).flatMap((tag) =>
    // Transitions do not nest.
    tag.name === 't' ? [] : (changeOf(tag) ?? []),
  );
  const numbers = text
    .slice(0, slash)
    .split(',', 4)
    .map((part) => amount(part, LIMITS.time))
    .filter((number) => number !== null);
  const [first = 0, second = 0, third = 1] = numbers;
  const isBent = numbers.length === 1 || numbers.length === 3;
  const bend = Math.min(100, Math.max(0, isBent ? (numbers.length === 1 ? first : third) : 1));
  const [begin, end] = numbers.length >= 2 ? [first, second] : [0, 0];
  return (look, moment) => {
    const to = changes.reduce((next, change) => change(next, moment), look);
    return blend(look, to, share(moment.at, begin, end || moment.length, bend));
  };
}

/** Returns the looks of a line's pieces at a time. */
export function looksOf(
  pieces: readonly { changes: readonly Change[]; syllable: Syllable | null }[],
  moment: Moment,
): Look[] {
  let look = moment.own;
  return pieces.map(({ changes, syllable }) => {
    look = changes.reduce((next, change) => change(next, moment), look);
    return syllable ? sung(look, syllable, moment.at) : look;
  });
}
