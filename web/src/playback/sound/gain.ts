/**
 * Replay gain: recordings play at a similar loudness, by the values in their tags. The volume of the element applies it,
 * so that it works without Web Audio, in the background and on plain HTTP.
 *
 * The volume of an element is at most 1, so quiet recordings can only use the headroom below the user's volume. The
 * pre-amplification is therefore 0 dB: a lower one would make everything quieter, and most recordings have a negative
 * gain anyway.
 */
import type { FileGain } from '../../api/models';

/** `auto` is that of the album while an album plays in order, and otherwise that of the track. */
export const GAINS = ['off', 'auto', 'track', 'album'] as const;
export type GainMode = (typeof GAINS)[number];

/** The gain of a recording as a factor of its amplitude, and its highest sample; 1 is full scale. */
export interface Gain {
  factor: number;
  peak: number;
}

export const UNCHANGED: Gain = { factor: 1, peak: 1 };

/** Largest plausible gain in decibels. Tags outside of it are errors. */
const MOST = 51;
/** Highest plausible peak. Decoded lossy recordings exceed full scale a little. */
const HIGHEST = 4;

type Facts = Readonly<Record<string, unknown>>;

/** Returns true if the gain of the track is wanted. That of an album keeps the differences between its tracks. */
export function wantsTrackGain(mode: GainMode, inOrder: boolean): boolean {
  return mode === 'track' || (mode === 'auto' && !inOrder);
}

/** Returns the gain of a recording by its facts. Each gain replaces a missing other one. */
export function gainOf(facts: Facts, mode: GainMode, inOrder: boolean): Gain {
  if (mode === 'off') return UNCHANGED;
  const [track, album] = [named(facts, 'track'), named(facts, 'album')];
  return (wantsTrackGain(mode, inOrder) ? (track ?? album) : (album ?? track)) ?? UNCHANGED;
}

/** Returns the facts of an item with the gains of one of its files, which can lack some. */
export function withFileGain(facts: Facts, gain: FileGain | undefined): Facts {
  const known = Object.entries(gain ?? {}).filter(([, value]) => value !== null);
  return { ...facts, ...Object.fromEntries(known) };
}

/** Returns the volume of an element for the user's volume. It is at most 1, and the highest sample does not clip. */
export function outputVolume(volume: number, { factor, peak }: Gain): number {
  return Math.min(volume * factor, 1 / Math.max(1, peak));
}

function named(facts: Facts, name: 'track' | 'album'): Gain | null {
  const decibels = facts[`${name}_gain`];
  const peak = facts[`${name}_peak`];
  if (typeof decibels !== 'number' || !(Math.abs(decibels) <= MOST)) return null;
  const isPeak = typeof peak === 'number' && peak > 0 && peak <= HIGHEST;
  return { factor: 10 ** (decibels / 20), peak: isPeak ? peak : 1 };
}
