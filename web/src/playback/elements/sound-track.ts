/** The sound tracks of an element. Most browsers offer none of them, and play the first one. */

interface Track {
  enabled: boolean;
}

/** Plays a sound track of an element, by its number. Returns false if the browser does not offer it. */
export function enableTrack(element: HTMLMediaElement, number: number): boolean {
  const tracks = Array.from((element as { audioTracks?: ArrayLike<Track> }).audioTracks ?? []);
  if (number >= tracks.length) return false;
  for (const [index, track] of tracks.entries()) track.enabled = index === number;
  return true;
}
