/** Text search that ignores accents and spacing. */

const MARKS = /\p{M}/gu;

/** Returns normalised text, and for each of its letters the index in the original. */
export function fold(text: string): { folded: string; origin: number[] } {
  let folded = '';
  const origin: number[] = [];
  let at = 0;
  for (const letter of text) {
    const plain = /\s/.test(letter)
      ? folded.endsWith(' ')
        ? ''
        : ' '
      : letter.normalize('NFKD').replace(MARKS, '').toLowerCase();
    for (let i = 0; i < plain.length; i += 1) origin.push(at);
    folded += plain;
    at += letter.length;
  }
  origin.push(at);
  return { folded, origin };
}

/** Returns the occurrences of `query` in a text as start and end. */
export function occurrences(text: string, query: string): [number, number][] {
  const needle = fold(query.trim()).folded;
  if (needle === '') return [];
  const { folded, origin } = fold(text);
  const found: [number, number][] = [];
  for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length)) {
    found.push([origin[at] ?? 0, origin[at + needle.length] ?? text.length]);
  }
  return found;
}
