/** The audio tracks of a film. The browser provides them, or a decoder in the page. */
import { mainPart } from '../saved/languages';
import type { AudioChoice } from '../saved/settings';

export interface AudioTrack {
  id: string;
  /** The title of the track; empty without one. */
  label: string;
  /** Language tag, if known. */
  language: string | null;
}

/** A provider of audio tracks. Its properties are reactive. */
export interface AudioTracks {
  readonly list: readonly AudioTrack[];
  /** Id of the audible track; empty if it is unknown. */
  readonly chosen: string;
  choose(id: string): void;
  /** Returns true if the track may be selected without a wish of the user; by default, each may. */
  isCheap?(id: string): boolean;
}

/**
 * Returns the track to select at the start: the one nearest to the choice for this show, otherwise one in a language of
 * the user. Null keeps `chosen`, the default of the file.
 */
export function preferredAudio(
  tracks: readonly AudioTrack[],
  choice: AudioChoice | null,
  languages: readonly string[],
  chosen: string,
): AudioTrack | null {
  if (choice !== null) {
    const near = tracks.filter((track) => mainPart(track.language) === mainPart(choice.language));
    return near.find((track) => track.label === choice.label) ?? near[0] ?? null;
  }
  const spoken = languages.map(mainPart);
  const original = tracks.find((track) => track.id === chosen);
  if (original && spoken.includes(mainPart(original.language))) return null;
  for (const language of spoken) {
    const first = tracks.find((track) => mainPart(track.language) === language);
    if (first) return first;
  }
  return null;
}
