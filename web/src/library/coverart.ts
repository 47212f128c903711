/** Draws a cover for what has none: title and author choose one of eight pictures and its colours. */
import { hash, stream } from '../lib/hash';
import { measure, setTitle, shorten } from './lettering';
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
  /** A dark and a light neighbour of the ground, for washes and placeholders. */
  tint: string;
  marks: Mark[];
  lines: Line[];
}

export interface Palette {
  ground: string;
  mid: string;
  low: string;
  ink: string;
  onLow: string;
  accent: string;
  hue: number;
}

export interface Subject {
  title: string;
  authors: string;
  hue: number;
  aspect: number;
}

const WIDTH = 200;
const MARGIN = 16;
const CREAM = 'oklch(.945 .03 90)';

/** The cover of `subject`: always the same for the same words. */
export function coverArt(subject: Subject): Art {
  const seed = hash(`${subject.title}\u0000${subject.authors}`);
  const random = stream(seed);
  const palette = choosePalette(subject.hue, random);
  const height = WIDTH / subject.aspect;
  const picture = pictures[Math.floor(random() * pictures.length)] ?? pictures[0];
  const drawn = picture({ width: WIDTH, height, palette, random, title: subject.title });
  return {
    width: WIDTH,
    height,
    ground: palette.ground,
    tint: `oklch(.5 .09 ${palette.hue})`,
    marks: drawn.marks,
    lines: letter(subject, drawn, palette, height),
  };
}

function choosePalette(kindHue: number, random: () => number): Palette {
  const hues = [kindHue, kindHue, kindHue, 78, 22, 245, 155, 200, 320, 45];
  const base = hues[Math.floor(random() * hues.length)] ?? kindHue;
  const hue = Math.round(base + (random() - 0.5) * 26 + 360) % 360;
  const schemes = [deep, deep, paper, bright, pastel, night];
  const scheme = schemes[Math.floor(random() * schemes.length)] ?? deep;
  return scheme(hue);
}

const deep = (h: number): Palette => ({
  hue: h,
  ground: `oklch(.35 .055 ${h})`,
  mid: `oklch(.46 .068 ${h})`,
  low: `oklch(.25 .04 ${h})`,
  ink: CREAM,
  onLow: CREAM,
  accent: 'oklch(.89 .055 88)',
});

const paper = (h: number): Palette => ({
  hue: h,
  ground: 'oklch(.925 .018 88)',
  mid: `oklch(.72 .09 ${h})`,
  low: `oklch(.36 .06 ${h})`,
  ink: `oklch(.29 .04 ${h})`,
  onLow: CREAM,
  accent: `oklch(.58 .14 ${(h + 330) % 360})`,
});

const bright = (h: number): Palette => ({
  hue: h,
  ground: `oklch(.7 .1 ${h})`,
  mid: `oklch(.6 .1 ${(h + 350) % 360})`,
  low: `oklch(.27 .05 ${h})`,
  ink: `oklch(.23 .04 ${h})`,
  onLow: CREAM,
  accent: 'oklch(.92 .06 90)',
});

const pastel = (h: number): Palette => ({
  hue: h,
  ground: `oklch(.85 .05 ${h})`,
  mid: `oklch(.68 .075 ${(h + 165) % 360})`,
  low: `oklch(.4 .065 ${(h + 165) % 360})`,
  ink: `oklch(.31 .07 ${h})`,
  onLow: CREAM,
  accent: 'oklch(.95 .035 82)',
});

const night = (h: number): Palette => ({
  hue: h,
  ground: `oklch(.29 .05 ${(h + 200) % 360})`,
  mid: `oklch(.45 .1 ${(h + 25) % 360})`,
  low: `oklch(.22 .04 ${(h + 200) % 360})`,
  ink: CREAM,
  onLow: CREAM,
  accent: 'oklch(.86 .1 78)',
});

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
