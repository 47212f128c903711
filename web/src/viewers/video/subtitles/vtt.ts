/** Reads the texts of a WebVTT file, for the search within subtitles. */

export interface Cue {
  /** In seconds. */
  start: number;
  end: number;
  /** The text without markup, on one line. */
  text: string;
}

const TIMES = /^((?:\d+:)?\d{1,2}:\d{2}\.\d{1,3})\s+-->\s+((?:\d+:)?\d{1,2}:\d{2}\.\d{1,3})/;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  lrm: '',
  rlm: '',
};
/** Number of results that a list shows. */
export const MOST_FOUND = 200;

export function parseVtt(source: string): Cue[] {
  const cues: Cue[] = [];
  for (const block of source.replace(/\r\n?/g, '\n').split(/\n{2,}/)) {
    const lines = block.split('\n');
    // An identifier can precede the times.
    const at = lines.findIndex((line) => TIMES.test(line));
    const [, start, end] = TIMES.exec(lines[at] ?? '') ?? [];
    if (start === undefined || end === undefined || at > 1) continue;
    const text = plain(lines.slice(at + 1).join(' '));
    if (text) cues.push({ start: seconds(start), end: seconds(end), text });
  }
  return cues;
}

/** Returns the cues that contain all words of a query, whatever their accents and case. */
export function search(cues: readonly Cue[], query: string): Cue[] {
  const words = folded(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = cues.filter(({ text }) => {
    const line = folded(text);
    return words.every((word) => line.includes(word));
  });
  return found.slice(0, MOST_FOUND);
}

function seconds(time: string): number {
  return time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

function plain(text: string): string {
  return text
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}

function folded(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
