/** Colours of drawn covers. They are separate, because the drawing takes more code. */
import { hash, stream } from '../../lib/hash';

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

const CREAM = 'oklch(.945 .03 90)';

/** The colours of a subject, and the generator that then selects its picture. */
export function paletteOf(subject: Pick<Subject, 'title' | 'authors' | 'hue'>): {
  palette: Palette;
  random: () => number;
} {
  const random = stream(hash(`${subject.title}\u0000${subject.authors}`));
  return { palette: choosePalette(subject.hue, random), random };
}

/** A variant of the background, for tints and placeholders. */
export function tintOf(subject: Pick<Subject, 'title' | 'authors' | 'hue'>): string {
  return `oklch(.5 .09 ${paletteOf(subject).palette.hue})`;
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
