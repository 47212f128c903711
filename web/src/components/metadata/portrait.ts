/** The drawn portrait of a person without a picture. */
import { hash } from '../../lib/hash';

/** `Ida van Brekkan` → `IB`; one letter for a single word. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word));
  const letter = (word: string | undefined) => [...(word ?? '')][0] ?? '';
  const last = words.length > 1 ? letter(words.at(-1)) : '';
  return (letter(words[0]) + last).toLocaleUpperCase();
}

/** A hue in degrees that the name selects. */
export function hueOf(name: string): number {
  return hash(name) % 360;
}
