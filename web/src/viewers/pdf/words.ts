/** Words in the text of pages, however they are accented and spaced. */

const MARKS = /\p{M}/gu;

/** Text as it is compared, and for each of its letters where that is in what was given. */
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

/** Where `query` stands in a text: from, to. */
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
