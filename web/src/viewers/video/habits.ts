/** How somebody watches on this device: what one chose for a film holds for the next episode. */
import type { Subtitles } from '../../api/types';
import { storage } from '../../lib/env';
import { SPEEDS } from '../../media/habits.svelte';

/** The subtitles that were chosen: none, or such as these. Null where nobody chose. */
export type Wish = 'none' | Pick<Subtitles, 'language' | 'forced' | 'label'> | null;

interface Kept {
  /** The speed holds for the thing it was chosen for. */
  item: number;
  speed: number;
  subtitles: Wish;
}

const NAME = 'film';

function read(): Partial<Kept> {
  try {
    const kept = JSON.parse(storage.get(NAME) ?? '{}') as Partial<Kept> | null;
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {}; // written by something else: begin anew
  }
}

function change(part: Partial<Kept>): void {
  storage.set(NAME, JSON.stringify({ ...read(), ...part }));
}

export function keptSpeed(item: number): number {
  const { item: of, speed } = read();
  return of === item ? (SPEEDS.find((one) => one === speed) ?? 1) : 1;
}

export function keepSpeed(item: number, speed: number): void {
  change({ item, speed });
}

export function wish(): Wish {
  const { subtitles } = read();
  if (subtitles === 'none') return subtitles;
  return typeof subtitles === 'object' && subtitles !== null && typeof subtitles.label === 'string'
    ? subtitles
    : null;
}

export function keepWish(subtitles: Subtitles | null): void {
  if (subtitles === null) return change({ subtitles: 'none' });
  const { language, forced, label } = subtitles;
  change({ subtitles: { language, forced, label } });
}
