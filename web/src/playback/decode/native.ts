/** Formats that the browser's own elements play. The server's facts decide: elements also accept what they cannot play. */
import { accepts } from '../../lib/engines';

/** Facts of the server about a file. */
export interface Facts {
  readonly container: string | null;
  readonly vcodec: string | null;
  readonly acodec: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly streams: readonly {
    readonly type: string;
    readonly codec: string | null;
    readonly default: boolean;
  }[];
}

/** An obstacle of the element, such as `container:avi`. */
export interface Obstacle {
  readonly kind: 'container' | 'vcodec' | 'acodec' | 'track';
  readonly name: string;
}

/**
 * Containers, with a type to ask the browser for, or null if every browser plays it. A test compares the tables with
 * `engines/src/html5.rs`. Names that are missing there play in few browsers: Apple's play AIFF, CAF, AC-3 and AMR.
 */
export const CONTAINERS: Readonly<Record<string, string | null>> = {
  mp4: null,
  mp3: null,
  wav: null,
  flac: 'audio/flac',
  adts: 'audio/aac',
  ogg: 'audio/ogg',
  webm: 'video/webm',
  matroska: 'video/x-matroska',
  aiff: 'audio/aiff',
  caf: 'audio/x-caf',
  ac3: 'audio/ac3',
  eac3: 'audio/eac3',
  amr: 'audio/amr',
};

export const VCODECS: Readonly<Record<string, string | null>> = {
  h264: null,
  vp8: 'video/webm; codecs="vp8"',
  vp9: 'video/webm; codecs="vp9"',
  av1: 'video/mp4; codecs="av01.0.04M.08"',
  hevc: 'video/mp4; codecs="hvc1.1.6.L93.B0"',
};

export const ACODECS: Readonly<Record<string, string | null>> = {
  aac: null,
  mp3: null,
  flac: null,
  pcm_u8: null,
  pcm_s16le: null,
  pcm_s24le: null,
  pcm_f32le: null,
  pcm_alaw: null,
  pcm_mulaw: null,
  opus: 'audio/ogg; codecs="opus"',
  vorbis: 'audio/ogg; codecs="vorbis"',
  ac3: 'audio/mp4; codecs="ac-3"',
  eac3: 'audio/mp4; codecs="ec-3"',
  alac: 'audio/mp4; codecs="alac"',
  // Samples with the highest byte first: the usual ones of AIFF, and of QuickTime.
  pcm_s8: 'audio/aiff',
  pcm_s16be: 'audio/aiff',
  pcm_s24be: 'audio/aiff',
  pcm_s32be: 'audio/aiff',
  pcm_f32be: 'audio/aiff',
  amr_nb: 'audio/amr',
  amr_wb: 'audio/amr',
};

const FLAC_IN_MATROSKA = 'video/x-matroska; codecs="flac"';

/**
 * Sound that Firefox drops silently in a container, although it plays the same sound in others: a type to ask for. No type
 * exists for PCM in these containers; a browser that plays FLAC in Matroska also plays PCM in both.
 */
const CONTAINED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  matroska: {
    mp3: 'video/x-matroska; codecs="mp3"',
    flac: FLAC_IN_MATROSKA,
    pcm: FLAC_IN_MATROSKA,
  },
  mp4: { pcm: FLAC_IN_MATROSKA },
};

type Plays = (type: string) => boolean;

function isContained(container: string, acodec: string, plays: Plays): boolean {
  const type = CONTAINED[container]?.[acodec.startsWith('pcm_') ? 'pcm' : acodec];
  return type === undefined || plays(type);
}

/**
 * Returns the first obstacle of the element, or null if it plays the file with the wanted sound track. `audio` is the
 * number of the track among the sound tracks; null selects the file's default. A file without facts has no obstacle.
 */
export function nativeObstacle(facts: Facts, audio: number | null, plays: Plays = accepts): Obstacle | null {
  const { container, vcodec } = facts;
  if (container === null) return null;
  const isPlayed = (table: Readonly<Record<string, string | null>>, name: string) => {
    const type = Object.hasOwn(table, name) ? table[name] : undefined;
    return type === null || (type !== undefined && plays(type));
  };
  if (!isPlayed(CONTAINERS, container)) return { kind: 'container', name: container };
  if (vcodec !== null && !isPlayed(VCODECS, vcodec)) return { kind: 'vcodec', name: vcodec };
  const track = trackOf(facts, audio);
  const acodec = codecOf(facts, track);
  const isHeard = acodec === null || (isPlayed(ACODECS, acodec) && isContained(container, acodec, plays));
  if (!isHeard) return { kind: 'acodec', name: acodec };
  // Elements play the first track, and most browsers cannot select another.
  return track > 0 ? { kind: 'track', name: String(track) } : null;
}

/** Returns the number of the sound track that plays: the wanted one, the default one, or the first. */
export function trackOf(facts: Pick<Facts, 'streams'>, audio: number | null): number {
  const tracks = facts.streams.filter(({ type }) => type === 'audio');
  return (
    audio ??
    Math.max(
      0,
      tracks.findIndex((track) => track.default),
    )
  );
}

/** Returns the codec of a sound track; null without sound. */
export function codecOf(facts: Pick<Facts, 'streams' | 'acodec'>, track: number): string | null {
  return facts.streams.filter(({ type }) => type === 'audio')[track]?.codec ?? facts.acodec;
}
