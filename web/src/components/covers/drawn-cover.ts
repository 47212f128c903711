/** Draws a cover for an item without one. Title and author select one of eight pictures and its colours. */
import { measure, setTitle, shorten } from './lettering';
import { paletteOf, tintOf, type Palette, type Subject } from './palette';
import { pictures, type Picture } from './pictures';

export interface Mark {
  d: string;
  fill: string;
  stroke?: string;
  strokeWidth?: number;
  opacity?: number;
}

export interface Line {
  text: string;
  x: number;
  y: number;
  size: number;
  anchor: 'start' | 'middle';
  fill: string;
  face: 'serif' | 'sans';
  spacing: number;
}

export interface Art {
  width: number;
  height: number;
  ground: string;
  /** A darker and a lighter variant of the background, for tints and placeholders. */
  tint: string;
  marks: Mark[];
  lines: Line[];
}

const WIDTH = 200;
const MARGIN = 16;

/** Draws the cover of `subject`, always the same for the same text. */
export function coverArt(subject: Subject): Art {
  const { palette, random } = paletteOf(subject);
  const height = WIDTH / subject.aspect;
  const picture = pictures[Math.floor(random() * pictures.length)] ?? pictures[0];
  const drawn = picture({ width: WIDTH, height, palette, random, title: subject.title });
  return {
    width: WIDTH,
    height,
    ground: palette.ground,
    tint: tintOf(subject),
    marks: drawn.marks,
    lines: letter(subject, drawn, palette, height),
  };
}

function letter(subject: Subject, drawn: Picture, palette: Palette, height: number): Line[] {
  const wide = height < WIDTH * 0.8;
  const author = wide ? null : authorLine(subject.authors, drawn, height);
  const room = height * (drawn.title === 'foot' ? 0.25 : wide ? 0.42 : height < 240 ? 0.29 : 0.27);
  const set = setTitle(subject.title, WIDTH - 2 * MARGIN - 6, room);
  const leading = set.size * 1.08;
  const foot = height - (author ? 37 : 20);
  const first = drawn.title === 'top' ? MARGIN + set.size * 0.9 + 4 : foot - leading * (set.lines.length - 1);
  const x = drawn.anchor === 'start' ? MARGIN + 3 : WIDTH / 2 + 3;
  const lines = set.lines.map((text, index): Line => ({
    text,
    x,
    y: first + index * leading,
    size: set.size,
    anchor: drawn.anchor,
    fill: drawn.title === 'top' ? palette.ink : drawn.footInk,
    face: 'serif',
    spacing: 0,
  }));
  return author ? [...lines, author] : lines;
}

function authorLine(authors: string, drawn: Picture, height: number): Line | null {
  const first = authors.trim();
  if (!first) return null;
  const size = 9;
  const text = shorten(first.toLocaleUpperCase('en'), (WIDTH - 2 * MARGIN - 8) / (size + 2.1));
  return {
    text,
    x: drawn.anchor === 'start' ? MARGIN + 3 : WIDTH / 2 + 3,
    y: height - 16,
    size,
    anchor: drawn.anchor,
    fill: drawn.footInk,
    face: 'sans',
    spacing: measure(text) > 12 ? 1.2 : 1.7,
  };
}
