/** Karaoke: consecutive syllables that change their colour when they are sung. */
import { amount, blend, LIMITS, share, type Look } from './look';
import type { Tag } from './tags';

/** Time of a syllable in milliseconds of its line, and its effect. */
export interface Syllable {
  begin: number;
  end: number;
  /** `fill` goes over into its colour while it is sung; `outline` has no outline until then. */
  way: 'at once' | 'fill' | 'outline';
}

const WAYS: Readonly<Record<string, Syllable['way']>> = {
  ...{ k: 'at once', kf: 'fill', K: 'fill', ko: 'outline' },
};

/** Progress of the song of a line. */
export class Song {
  #clock = 0;
  syllable: Syllable | null = null;

  /** Applies a karaoke tag: the duration of the next syllable or its start, in hundredths of a second. */
  take({ name, rest }: Tag): boolean {
    const time = (amount(rest, LIMITS.time) ?? 0) * 10;
    const way = WAYS[name];
    if (name === 'kt') this.#clock = time;
    else if (way === undefined) return false;
    else {
      const begin = this.#clock;
      this.#clock = begin + time;
      this.syllable = { begin, end: this.#clock, way };
    }
    return true;
  }
}

/** Returns a syllable's look at a millisecond of its line. */
export function sung(look: Look, { begin, end, way }: Syllable, at: number): Look {
  if (way === 'fill') {
    return blend({ ...look, fill: look.unsung }, look, share(at, begin, end, 1));
  }
  if (at >= begin) return look;
  return { ...look, fill: look.unsung, border: way === 'outline' ? 0 : look.border };
}
