/** Sets a title on a drawn cover: font size and line breaks. Widths are estimates, rather too large than too small. */

export interface Setting {
  size: number;
  lines: string[];
}

const SIZES = [36, 32, 28, 24, 21, 18, 15.5, 13.5];

function advance(char: string): number {
  if (/[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]/.test(char)) return 1;
  if (/[mwMW@%&—]/.test(char)) return 0.86;
  if (/[A-ZÀ-Þ\d]/.test(char)) return 0.66;
  if (/[iljtfr.,:;'’!| -]/.test(char)) return 0.33;
  return 0.54;
}

/** Estimated width of `text` in ems. */
export function measure(text: string): number {
  let sum = 0;
  for (const char of text) sum += advance(char);
  return sum;
}

/** Returns the largest setting of `text` in a box of `width` by `height`, or a shortened text. */
export function setTitle(text: string, width: number, height: number): Setting {
  const words = tokens(text);
  for (const size of SIZES) {
    const lines = wrap(words, width / size);
    const fits = lines.every((line) => measure(line) * size <= width);
    if (fits && lines.length * size * 1.1 <= height) return { size, lines };
  }
  const size = SIZES.at(-1) ?? 13.5;
  const room = Math.max(1, Math.floor(height / (size * 1.1)));
  const lines = wrap(words, width / size).slice(0, room);
  const last = lines.length - 1;
  return { size, lines: lines.map((line, i) => shorten(line, width / size, i === last)) };
}

/** Cuts `text` to `ems`, with an ellipsis if something was cut or follows. */
export function shorten(text: string, ems: number, more = false): string {
  if (!more && measure(text) <= ems) return text;
  let cut = '';
  for (const char of text) {
    if (measure(`${cut}${char}…`) > ems) break;
    cut += char;
  }
  return `${cut.trimEnd()}…`;
}

/** Splits into words. Text without spaces (Chinese, Japanese) breaks anywhere. */
function tokens(text: string): string[] {
  return text
    .trim()
    .split(/(?<=\s)|(?<=[\u2e80-\u9fff\uff00-\uff60])|(?<=[-–—/_])/)
    .filter((part) => part !== '');
}

function wrap(words: string[], ems: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const translate of words) {
    if (line !== '' && measure((line + translate).trimEnd()) > ems) {
      lines.push(line.trimEnd());
      line = '';
    }
    line += translate;
  }
  if (line.trim() !== '') lines.push(line.trimEnd());
  return lines;
}
