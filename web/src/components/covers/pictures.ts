/** The eight pictures of drawn covers. Each fills its sheet and leaves space for the title. */
import type { Mark } from './drawn-cover';
import type { Palette } from './palette';

export interface Sheet {
  width: number;
  height: number;
  palette: Palette;
  random: () => number;
  title: string;
}

export interface Picture {
  marks: Mark[];
  title: 'top' | 'foot';
  anchor: 'start' | 'middle';
  /** Colour of the text at the bottom. */
  footInk: string;
}

type Draw = (sheet: Sheet) => Picture;

const n = (value: number) => Math.round(value * 10) / 10;

function disc(x: number, y: number, r: number): string {
  return `M${n(x - r)} ${n(y)}a${n(r)} ${n(r)} 0 1 0 ${n(2 * r)} 0a${n(r)} ${n(r)} 0 1 0 ${n(-2 * r)} 0`;
}

function oval(x: number, y: number, rx: number, ry: number): string {
  return `M${n(x - rx)} ${n(y)}a${n(rx)} ${n(ry)} 0 1 0 ${n(2 * rx)} 0a${n(rx)} ${n(ry)} 0 1 0 ${n(-2 * rx)} 0`;
}

function box(x: number, y: number, w: number, h: number): string {
  return `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}z`;
}

/** A wavy edge at `y`, filled down to the bottom of the sheet. */
function wave(sheet: Sheet, y: number, depth: number, length: number, start: number): string {
  let d = `M0 ${sheet.height}V${n(y)}`;
  let side = start;
  for (let x = 0; x < sheet.width; x += length) {
    d += `q${n(length / 2)} ${n(side * depth)} ${n(length)} 0`;
    side = -side;
  }
  return `${d}V${sheet.height}z`;
}

/** Rolling hills: cubic crests at random heights around `y`. */
function hills(sheet: Sheet, y: number, swing: number): string {
  const steps = 4;
  const length = sheet.width / steps;
  const crest = () => y + (sheet.random() - 0.5) * 2 * swing;
  let d = `M0 ${sheet.height}V${n(crest())}`;
  for (let i = 1; i <= steps; i += 1) {
    d += `S${n((i - 0.5) * length)} ${n(crest())} ${n(i * length)} ${n(crest())}`;
  }
  return `${d}V${sheet.height}z`;
}

const sunAndHills: Draw = (sheet) => {
  const { height: h, palette: p, random } = sheet;
  const sun = disc(50 + random() * 100, h * 0.47, Math.min(34, h * 0.15));
  return {
    title: 'top',
    anchor: 'middle',
    footInk: p.onLow,
    marks: [
      { d: sun, fill: p.accent },
      { d: hills(sheet, h * 0.6, h * 0.06), fill: p.mid },
      { d: hills(sheet, h * 0.7, h * 0.05), fill: p.low, opacity: 0.55 },
      { d: hills(sheet, h * 0.8, h * 0.035), fill: p.low },
    ],
  };
};

const moonAndSea: Draw = (sheet) => {
  const { height: h, palette: p, random } = sheet;
  const r = Math.min(36, h * 0.14);
  const x = 128 + random() * 22;
  const y = h * 0.5;
  return {
    title: 'top',
    anchor: 'start',
    footInk: p.onLow,
    marks: [
      { d: disc(x, y, r * 1.26), fill: p.accent, opacity: 0.3 },
      { d: disc(x, y, r), fill: p.accent },
      { d: wave(sheet, h * 0.64, 9, 40, -1), fill: p.mid },
      { d: wave(sheet, h * 0.71, 9, 50, 1), fill: p.low, opacity: 0.4 },
      { d: wave(sheet, h * 0.78, 8, 40, -1), fill: p.mid, opacity: 0.55 },
      { d: wave(sheet, h * 0.85, 7, 50, 1), fill: p.low },
    ],
  };
};

const rings: Draw = (sheet) => {
  const { width: w, height: h, palette: p, random } = sheet;
  const y = h * 0.64;
  const outer = Math.min(w * 0.48, h * 0.32);
  const hand = random() * Math.PI * 2;
  const tip = { x: w / 2 + Math.cos(hand) * outer * 0.62, y: y + Math.sin(hand) * outer * 0.62 };
  return {
    title: 'top',
    anchor: 'middle',
    footInk: p.ink,
    marks: [
      { d: disc(w / 2, y, outer), fill: p.mid, opacity: 0.5 },
      { d: disc(w / 2, y, outer * 0.77), fill: p.mid },
      { d: disc(w / 2, y, outer * 0.55), fill: p.accent, opacity: 0.65 },
      { d: disc(w / 2, y, outer * 0.36), fill: p.accent },
      { d: `M${w / 2} ${n(y)}L${n(tip.x)} ${n(tip.y)}`, fill: 'none', stroke: p.low, strokeWidth: 4.5 },
      { d: `M${w / 2} ${n(y)}V${n(y - outer * 0.86)}`, fill: 'none', stroke: p.low, strokeWidth: 4.5 },
      { d: disc(w / 2, y, 6.5), fill: p.low },
    ],
  };
};

const vase: Draw = (sheet) => {
  const { width: w, height: h, palette: p } = sheet;
  const stripes: Mark[] = [];
  for (let x = -4; x < w; x += 20) stripes.push({ d: box(x, 0, 6, h), fill: p.mid, opacity: 0.45 });
  const y = h * 0.35;
  const ry = h * 0.27;
  const rx = Math.min(66, ry * 0.82);
  const s = ry / 84;
  const c = w / 2;
  const pot = `M${n(c - 16 * s)} ${n(y + 2 * s)}h${n(32 * s)}c${n(0 * s)} ${n(12 * s)} ${n(15 * s)} ${n(16 * s)} ${n(13 * s)} ${n(36 * s)}c${n(-2 * s)} ${n(20 * s)} ${n(-14 * s)} ${n(24 * s)} ${n(-17 * s)} ${n(24 * s)}h${n(-24 * s)}c${n(-3 * s)} 0 ${n(-15 * s)} ${n(-4 * s)} ${n(-17 * s)} ${n(-24 * s)}c${n(-2 * s)} ${n(-20 * s)} ${n(13 * s)} ${n(-24 * s)} ${n(13 * s)} ${n(-36 * s)}z`;
  const stem = (dx: number, top: number) =>
    `M${n(c)} ${n(y + 4 * s)}q${n(dx * 0.1 * s)} ${n(-28 * s)} ${n(dx * s)} ${n(-top * s)}`;
  const stems = [stem(-22, 44), stem(2, 60), stem(24, 40)].join('');
  const heads = [
    disc(c - 22 * s, y - 40 * s, 9 * s),
    disc(c + 2 * s, y - 56 * s, 11 * s),
    disc(c + 24 * s, y - 36 * s, 8 * s),
  ].join('');
  return {
    title: 'foot',
    anchor: 'middle',
    footInk: p.ink,
    marks: [
      ...stripes,
      { d: oval(c, y, rx, ry), fill: p.accent },
      { d: stems, fill: 'none', stroke: p.low, strokeWidth: n(3.2 * s) },
      { d: heads, fill: `oklch(.6 .14 ${(p.hue + 300) % 360})` },
      { d: pot, fill: p.low },
    ],
  };
};

const branch: Draw = (sheet) => {
  const { width: w, height: h, palette: p, random } = sheet;
  const foot = h * (h < 240 ? 0.83 : 0.88);
  const top = h * 0.42;
  const reach = foot - top;
  const marks: Mark[] = [
    {
      d: `M${w / 2} ${n(foot)}C${w / 2} ${n(foot - reach * 0.5)} ${n(w / 2 + 4)} ${n(top + 20)} ${n(w / 2 + 10)} ${n(top)}`,
      fill: 'none',
      stroke: p.ink,
      strokeWidth: 3,
    },
  ];
  const tints = [
    p.accent,
    p.mid,
    `oklch(.6 .12 ${(p.hue + 60) % 360})`,
    `oklch(.55 .12 ${(p.hue + 290) % 360})`,
  ];
  for (let i = 0; i < 8; i += 1) {
    const side = i % 2 === 0 ? -1 : 1;
    const y = foot - reach * (0.16 + 0.1 * i);
    const span = (52 - i * 3.4) * (0.8 + random() * 0.35) * Math.min(1, h / 260);
    const x = w / 2 + (i / 8) * 7;
    const ex = x + side * span;
    const ey = y - span * 0.55;
    marks.push({
      d: `M${n(x)} ${n(y)}Q${n(x + side * span * 0.7)} ${n(y)} ${n(ex)} ${n(ey)}`,
      fill: 'none',
      stroke: p.ink,
      strokeWidth: 2,
    });
    marks.push({ d: leaf(ex, ey, side, 20 * Math.min(1, h / 240)), fill: tints[i % tints.length] ?? p.mid });
  }
  return { title: 'top', anchor: 'middle', footInk: p.ink, marks };
};

function leaf(x: number, y: number, side: number, size: number): string {
  const tx = x + side * size * 0.55;
  const ty = y - size;
  return `M${n(x)} ${n(y)}Q${n(x - side * size * 0.35)} ${n(y - size * 0.7)} ${n(tx)} ${n(ty)}Q${n(x + side * size * 0.9)} ${n(y - size * 0.25)} ${n(x)} ${n(y)}z`;
}

const mountains: Draw = (sheet) => {
  const { width: w, height: h, palette: p, random } = sheet;
  const x = 70 + random() * 60;
  const peak = h * 0.24;
  const snow = `M${n(x)} ${n(peak)}l${n(-w * 0.09)} ${n(h * 0.1)}l${n(w * 0.05)} ${n(-h * 0.02)}l${n(w * 0.035)} ${n(h * 0.04)}l${n(w * 0.045)} ${n(-h * 0.035)}l${n(w * 0.05)} ${n(h * 0.02)}z`;
  return {
    title: 'foot',
    anchor: 'middle',
    footInk: p.onLow,
    marks: [
      { d: disc(x > 100 ? 44 : 156, h * 0.17, Math.min(18, h * 0.07)), fill: p.accent },
      { d: `M${n(x - w * 0.75)} ${n(h)}L${n(x)} ${n(peak)}L${n(x + w * 0.8)} ${n(h)}z`, fill: p.mid },
      { d: snow, fill: CREAM_SNOW },
      { d: `M-20 ${n(h)}L${n(w * 0.2)} ${n(h * 0.5)}L${n(w * 0.62)} ${n(h)}z`, fill: p.low, opacity: 0.6 },
      {
        d: `M${n(w * 0.3)} ${n(h)}L${n(w * 0.82)} ${n(h * 0.46)}L${n(w + 40)} ${n(h)}z`,
        fill: p.low,
        opacity: 0.75,
      },
      {
        d: `M0 ${n(h)}V${n(h * 0.7)}L${n(w * 0.3)} ${n(h * 0.64)}L${n(w * 0.62)} ${n(h * 0.69)}L${w} ${n(h * 0.62)}V${n(h)}z`,
        fill: p.low,
      },
    ],
  };
};
const CREAM_SNOW = 'oklch(.96 .012 90)';

const rays: Draw = (sheet) => {
  const { width: w, height: h, palette: p, random } = sheet;
  const y = h * 0.66;
  const marks: Mark[] = [];
  for (let i = 0; i < 13; i += 1) {
    const a = Math.PI * (1.02 + (i / 12) * 0.96);
    const b = a + 0.11;
    const r = w + h;
    marks.push({
      d: `M${w / 2} ${n(y)}L${n(w / 2 + Math.cos(a) * r)} ${n(y + Math.sin(a) * r)}L${n(w / 2 + Math.cos(b) * r)} ${n(y + Math.sin(b) * r)}z`,
      fill: p.accent,
      opacity: i % 2 === 0 ? 0.2 : 0.55,
    });
  }
  const towers = 7;
  for (let i = 0; i < towers; i += 1) {
    const tall = h * (0.16 + 0.3 * (1 - Math.abs(i - 3) / 3.4) + random() * 0.06);
    const x = w * (0.07 + (i * 0.86) / towers);
    marks.push({ d: box(x, y - tall, w * 0.86 * (1 / towers), tall), fill: i % 2 === 0 ? p.low : p.mid });
    for (let k = 1; k * 15 < tall - 8; k += 1) {
      marks.push({ d: box(x + 11, y - tall + k * 15 - 5, 2.6, 7), fill: p.accent, opacity: 0.85 });
    }
  }
  marks.push({ d: box(0, y, w, h - y), fill: p.low });
  return { title: 'foot', anchor: 'middle', footInk: p.onLow, marks };
};

const dots: Draw = (sheet) => {
  const { width: w, height: h, palette: p, random } = sheet;
  const step = 26;
  const bottom = h * 0.6;
  const marks: Mark[] = [];
  const bright = Math.floor(random() * 12);
  let index = 0;
  for (let y = Math.min(30, h * 0.16); y < bottom; y += step) {
    for (let x = 35; x < w - 20; x += step) {
      const r = 2.5 + random() * 8.5;
      marks.push({ d: disc(x, y, r), fill: index === bright ? p.accent : p.low });
      index += 1;
    }
  }
  if (p.ground.startsWith('oklch(.2') || p.ground.startsWith('oklch(.3')) {
    for (const [i, mark] of marks.entries()) if (i !== bright) mark.fill = p.mid;
  }
  return { title: 'foot', anchor: 'start', footInk: p.ink, marks };
};

export const pictures: readonly [Draw, ...Draw[]] = [
  sunAndHills,
  moonAndSea,
  rings,
  vase,
  branch,
  mountains,
  rays,
  dots,
];
