/** Returns the distinct names of a text, which are separated by a character. */
export function names(text: string, separator: string): string[] {
  const found = text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return [...new Set(found)];
}
