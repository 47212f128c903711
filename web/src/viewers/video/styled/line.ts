/** Parses a line's text into pieces of one look each, and the position of the line. */
import { changeOf, type Change } from './change';
import { Song, type Syllable } from './karaoke';
import { amount, LIMITS, share } from './look';
import { olderAlign, within9 } from './script';
import { inside, MOST_TAGS, tagsOf, type Tag } from './tags';

/** A piece of a line: the changes before it, and its text. */
export interface Piece {
  changes: Change[];
  /** The karaoke syllable of the piece. */
  syllable: Syllable | null;
  text: string;
}

export interface Point {
  x: number;
  y: number;
}

/** A movement between two times in milliseconds; by default for the whole duration. */
export interface Move {
  from: Point;
  to: Point;
  begin: number;
  end: number;
}

/** The visible part of a line: a rectangle, a drawing, or everything outside of one. */
export interface Clip {
  inverse: boolean;
  box: readonly [left: number, top: number, right: number, bottom: number] | null;
  drawing: string;
  /** Each step halves the units of the drawing. */
  fine: number;
}

export interface Parsed {
  pieces: Piece[];
  align: number | null;
  place: Point | null;
  move: Move | null;
  origin: Point | null;
  /** Opacity at a time in milliseconds from the start of the line. */
  fade: ((at: number, length: number) => number) | null;
  clip: Clip | null;
  wrap: number | null;
  /** True if the look changes while the line is shown. */
  changing: boolean;
}

/** Maximum number of pieces in a line. */
const MOST_PIECES = 500;
export function parseLine(text: string): Parsed {
  const parsed: Parsed = {
    pieces: [],
    align: null,
    place: null,
    move: null,
    origin: null,
    fade: null,
    clip: null,
    wrap: null,
    changing: false,
  };
  const song = new Song();
  let changes: Change[] = [];
  let left = MOST_TAGS;
  let at = 0;
  const add = (words: string) => {
    if (!words || parsed.pieces.length >= MOST_PIECES) return;
    parsed.pieces.push({ changes, syllable: song.syllable, text: words });
    changes = [];
  };
  while (at < text.length) {
    const open = text.indexOf('{', at);
    const close = open < 0 ? -1 : text.indexOf('}', open);
    if (close < 0) break; // an unclosed brace is text
    add(text.slice(at, open));
    for (const tag of tagsOf(text.slice(open + 1, close))) {
      if ((left -= 1) < 0) break;
      const isSung = song.take(tag);
      const change = isSung || ofLine(tag, parsed) ? null : changeOf(tag);
      if (change) changes.push(change);
      if (isSung || tag.name === 't') parsed.changing = true;
    }
    at = close + 1;
  }
  add(text.slice(at));
  return parsed;
}

/** Returns the text of a piece with its line breaks. */
export function words(text: string, wrap: number): string {
  return text.replace(/\\([Nnh])/g, (_, mark: string) => {
    if (mark === 'h') return '\u00a0';
    return mark === 'N' || wrap === 2 ? '\n' : ' ';
  });
}

const numbersOf = (text: string, within: readonly [number, number] = LIMITS.place) =>
  text.split(',', 8).map((part) => amount(part, within) ?? Number.NaN);
const areNumbers = (numbers: number[], ...counts: number[]) =>
  counts.includes(numbers.length) && numbers.every((number) => !Number.isNaN(number));

/** Applies a tag for the whole line; the first of each kind counts. */
function ofLine({ name, rest }: Tag, line: Parsed): boolean {
  const numbers = () => numbersOf(inside(rest));
  const times = () => numbersOf(inside(rest), LIMITS.time);
  switch (name) {
    case 'an':
    case 'a': {
      const said = amount(rest, [1, 11]);
      if (said !== null) line.align ??= name === 'an' ? within9(said) : olderAlign(said);
      return true;
    }
    case 'q':
      line.wrap = amount(rest, [0, 3]);
      return true;
    case 'pos':
    case 'org': {
      const both = numbers();
      const [x = 0, y = 0] = both;
      if (!areNumbers(both, 2)) return true;
      if (name === 'org') line.origin ??= { x, y };
      else if (!line.move) line.place ??= { x, y };
      return true;
    }
    case 'move': {
      const all = numbers();
      const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = all;
      const [begin = 0, end = 0] = times().slice(4);
      if (areNumbers(all, 4, 6) && !line.place)
        line.move ??= { from: { x: x1, y: y1 }, to: { x: x2, y: y2 }, begin, end };
      return true;
    }
    case 'fad':
    case 'fade':
      line.fade ??= fadeOf(times());
      return true;
    case 'clip':
    case 'iclip':
      line.clip = clipOf(inside(rest), name === 'iclip') ?? line.clip;
      return true;
    default:
      return false;
  }
}

function fadeOf(numbers: number[]): Parsed['fade'] {
  if (areNumbers(numbers, 2)) {
    const [into = 0, out = 0] = numbers;
    return (at, length) => {
      if (at < into) return at / into;
      return at > length - out ? Math.max(0, (length - at) / out) : 1;
    };
  }
  if (!areNumbers(numbers, 7)) return null;
  const [a1 = 0, a2 = 0, a3 = 0, t1 = 0, t2 = 0, t3 = 0, t4 = 0] = numbers;
  return (at) => {
    const between = (a: number, b: number, from: number, to: number) => a + (b - a) * share(at, from, to, 1);
    const hidden = at < t3 ? between(a1, a2, t1, t2) : between(a2, a3, t3, t4);
    return 1 - Math.min(255, Math.max(0, hidden)) / 255;
  };
}

function clipOf(text: string, inverse: boolean): Clip | null {
  const numbers = numbersOf(text);
  if (areNumbers(numbers, 4)) {
    const [left = 0, top = 0, right = 0, bottom = 0] = numbers;
    return { inverse, box: [left, top, right, bottom], drawing: '', fine: 1 };
  }
  const comma = text.indexOf(',');
  const fine = comma < 0 ? 1 : (amount(text.slice(0, comma), [1, 10]) ?? 1);
  const drawing = text.slice(comma + 1).trim();
  return /^[mn]\s/i.test(drawing) ? { inverse, box: null, drawing, fine } : null;
}
