/** Playback settings of films on this device. The choices for one film apply to the next episode. */
import type { Subtitles } from '../../../api/models';
import { storage } from '../../../lib/env';
import { SPEEDS } from '../../../playback/settings.svelte';

/** The chosen subtitles: none, or a similar track. Null without a choice. */
export type SubtitleChoice = 'none' | Pick<Subtitles, 'language' | 'forced' | 'label'> | null;

interface Saved {
  /** The item for which the speed was chosen. */
  item: number;
  speed: number;
  subtitles: SubtitleChoice;
}

const NAME = 'film';

function read(): Partial<Saved> {
  try {
    const kept = JSON.parse(storage.get(NAME) ?? '{}') as Partial<Saved> | null;
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {}; // invalid content: use the defaults
  }
}

function change(part: Partial<Saved>): void {
  storage.set(NAME, JSON.stringify({ ...read(), ...part }));
}

export function savedSpeed(item: number): number {
  const { item: of, speed } = read();
  return of === item ? (SPEEDS.find((one) => one === speed) ?? 1) : 1;
}

export function saveSpeed(item: number, speed: number): void {
  change({ item, speed });
}

export function savedSubtitleChoice(): SubtitleChoice {
  const { subtitles } = read();
  if (subtitles === 'none') return subtitles;
  return typeof subtitles === 'object' && subtitles !== null && typeof subtitles.label === 'string'
    ? subtitles
    : null;
}

export function saveSubtitleChoice(subtitles: Subtitles | null): void {
  if (subtitles === null) return change({ subtitles: 'none' });
  const { language, forced, label } = subtitles;
  change({ subtitles: { language, forced, label } });
}
