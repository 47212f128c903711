/** The worker of styled subtitles: that of `jassub`, which also reports characters without a font. */
import 'jassub/dist/worker/worker.js';

/** Message to the page: a character that no font contains. */
export interface Missing {
  missing: number;
}

/** libass writes such a line for each character, to the log only. */
const LINE = /glyph 0x([0-9a-f]+)/i;
const reported = new Set<number>();
const report = console.error.bind(console);

/** Returns true for a line about a character. */
function take(line: unknown): boolean {
  const [, digits] = LINE.exec(String(line)) ?? [];
  if (digits === undefined) return false;
  const missing = Number.parseInt(digits, 16);
  if (!reported.has(missing)) self.postMessage({ missing } satisfies Missing);
  reported.add(missing);
  return true;
}

/** Starts again, because more fonts are loaded. */
self.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  if (data === 'fonts') reported.clear();
});

// Authors of scripts need the other lines, users do not.
console.debug = (line) => void take(line);
console.error = (...words) => {
  if (!take(words[0])) report(...words);
};
