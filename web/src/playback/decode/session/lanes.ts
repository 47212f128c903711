/** Selects the streams of a file that play, and the method for each. */
import type { Contents, Lane, Stream } from '../protocol';
import type { LaneName } from '../source/media-source';

/** Type of decoded sound. */
export const FLAC = 'audio/mp4; codecs="flac"';

/** Number of no sound track. */
export const NO_TRACK = -1;

export interface TrackChoice {
  /** Number of the sound track among the sound tracks; null for the default; `NO_TRACK` for silence. */
  readonly audio: number | null;
  /** The pictures are wanted. */
  readonly video: boolean;
  /** Video packets may be passed on. */
  readonly passesVideo: boolean;
}

export interface Lanes {
  readonly video: Lane | null;
  readonly audio: Lane | null;
  /** Types of the lanes that the media source has. */
  readonly mimes: ReadonlyMap<LaneName, string>;
  /** The file has sound, but none that this build decodes. */
  readonly isMute: boolean;
  /** The pictures, for their size and rate. */
  readonly picture: Stream | null;
}

type Appends = (mime: string) => boolean;

/** Returns the lanes, or null if nothing of what is wanted can be played. */
export function lanesOf(contents: Contents, wanted: TrackChoice, appends: Appends): Lanes | null {
  const tracks = contents.streams.filter(({ type }) => type === 'audio');
  const audible = soundOf(tracks, wanted.audio, appends);
  const picture = wanted.video ? pictureOf(contents.streams, appends) : null;
  if (wanted.video ? picture === null : audible === null) return null;
  const video = picture && methodOf(picture, appends, wanted.passesVideo);
  const audio = audible && methodOf(audible, appends, true);
  const mimes = new Map<LaneName, string>();
  if (picture?.mime && video?.method === 'copy') mimes.set('video', picture.mime);
  if (audible && audio) mimes.set('audio', audio.method === 'copy' && audible.mime ? audible.mime : FLAC);
  return { video, audio, mimes, isMute: tracks.length > 0 && audible === null, picture };
}

/** Returns true if two media sources have the same lanes. Their types may differ. */
export function haveSameNames(one: Lanes['mimes'], other: Lanes['mimes']): boolean {
  return one.size === other.size && [...one.keys()].every((name) => other.has(name));
}

function methodOf(stream: Stream, appends: Appends, passes: boolean): Lane | null {
  if (passes && stream.mime !== null && appends(stream.mime)) return { stream: stream.index, method: 'copy' };
  return stream.decodable ? { stream: stream.index, method: 'decode' } : null;
}

function pictureOf(streams: readonly Stream[], appends: Appends): Stream | null {
  const all = streams.filter(({ type }) => type === 'video');
  return all.find((one) => methodOf(one, appends, true) !== null) ?? null;
}

/** A track that cannot be played yields to the first one that can, unless the user selected it. */
function soundOf(tracks: readonly Stream[], wanted: number | null, appends: Appends): Stream | null {
  const isAudible = (stream: Stream) => methodOf(stream, appends, true) !== null;
  if (wanted === NO_TRACK) return null;
  if (wanted !== null) return tracks.slice(wanted, wanted + 1).find(isAudible) ?? null;
  const usual = tracks.find(({ isDefault }) => isDefault) ?? tracks[0];
  return usual && isAudible(usual) ? usual : (tracks.find(isAudible) ?? null);
}
