/** Selects the way in which a file plays: by the element, through a media source, or decoded by the page. */
import { codecOf, nativeObstacle, trackOf, type Facts, type Obstacle } from './native';
import { BEARABLE, needOf, type Device } from './device';

/** A way in which a file plays. */
export type PlayableWay = 'native' | 'transmux' | 'decode';
export type Way = PlayableWay | 'no';

/** Answers of this browser. */
export interface Supports {
  /** It has WebAssembly, workers and media sources. */
  readonly decoder: boolean;
  /** Its elements can play this type. */
  readonly plays: (type: string) => boolean;
  /** Its media sources accept this type. */
  readonly appends: (type: string) => boolean;
}

export type Reason = { readonly kind: 'plays' | 'chosen' | 'subtitles' } | Obstacle | DeviceLimit;

/** The device decodes fewer pixels per second than the film has. */
export interface DeviceLimit {
  readonly kind: 'device';
  readonly codec: string;
  readonly needed: number;
  readonly possible: number;
}

export interface Decision {
  readonly way: Way;
  /** Only the sound is played, or can be played. */
  readonly audioOnly?: boolean;
  readonly reason: Reason;
}

export interface Wish {
  /** Number of the sound track; null for the default. */
  readonly audio: number | null;
  /** Way that the user selected in the menu. */
  readonly way?: PlayableWay | null;
  /** Only the sound is wanted. */
  readonly audioOnly?: boolean;
  /** Picture subtitles are wanted. Elements do not show them. */
  readonly subtitles?: boolean;
}

/** Types of video that fragmented MP4 can contain. The level is unknown here; the decoder reports the exact type. */
const PASSED: Readonly<Record<string, string>> = {
  h264: 'video/mp4; codecs="avc1.640028"',
  hevc: 'video/mp4; codecs="hvc1.1.6.L120.90"',
  vp9: 'video/mp4; codecs="vp09.00.40.08"',
  av1: 'video/mp4; codecs="av01.0.08M.08"',
};

/** Codecs without a free decoder. */
const UNDECODABLE = new Set(['vvc', 'h266', 'evc', 'lcevc', 'ac4', 'mpegh_3d_audio']);

/** Sound of this type exists in every way but the native one. */
const CLOCK = 'audio/mp4; codecs="flac"';

/** Returns the way in which a file plays on this browser and device. */
export function decide(facts: Facts, supports: Supports, device: Device, wish: Wish): Decision {
  const ways = waysOf(facts, supports);
  if (wish.audioOnly) {
    const way = canDecode(supports) ? 'decode' : 'no';
    return { way, audioOnly: true, reason: { kind: 'chosen' } };
  }
  if (wish.way && ways.includes(wish.way))
    return { ...sound(facts), way: wish.way, reason: { kind: 'chosen' } };
  const reason = nativeObstacle(facts, wish.audio, supports.plays);
  if (reason === null) {
    const way = wish.subtitles ? wayWithSubtitles(facts, ways, device) : 'native';
    return { ...sound(facts), way, reason: { kind: way === 'native' ? 'plays' : 'subtitles' } };
  }
  const blocked = undecodable(facts, wish.audio);
  if (blocked)
    return {
      way: 'no',
      reason: blocked,
      ...(blocked.kind === 'vcodec' && hasSound(facts) && { audioOnly: true }),
    };
  if (ways.includes('transmux')) return { way: 'transmux', reason };
  // Without a decoder, the element gets its chance: some play more than they declare.
  if (!ways.includes('decode')) return { ...sound(facts), way: 'native', reason };
  const tooSlow = slowness(facts, device);
  if (tooSlow) return { way: 'no', reason: tooSlow, ...(hasSound(facts) && { audioOnly: true }) };
  return { ...sound(facts), way: 'decode', reason };
}

/** Returns the way of a native film in which the page reads the file by itself. Subtitles never stop a film. */
function wayWithSubtitles(facts: Facts, ways: readonly PlayableWay[], device: Device): PlayableWay {
  if (ways.includes('transmux')) return 'transmux';
  return ways.includes('decode') && !slowness(facts, device) ? 'decode' : 'native';
}

/** Returns the ways that are open for a file, fastest first. The menu offers them, and a failure leads to the next. */
export function waysOf(facts: Facts, supports: Supports): PlayableWay[] {
  const ways: PlayableWay[] = ['native'];
  if (!canDecode(supports)) return ways;
  const { vcodec } = facts;
  const passed = vcodec !== null && Object.hasOwn(PASSED, vcodec) ? PASSED[vcodec] : undefined;
  if (passed !== undefined && supports.appends(passed)) ways.push('transmux');
  if (vcodec === null || !UNDECODABLE.has(vcodec)) ways.push('decode');
  return ways;
}

function canDecode(supports: Supports): boolean {
  return supports.decoder && supports.appends(CLOCK);
}

/** Returns the way after one that failed; null without a further one. */
export function wayAfter(failed: Way, facts: Facts, supports: Supports): PlayableWay | null {
  const ways: Way[] = waysOf(facts, supports);
  const at = ways.indexOf(failed);
  const next = at < 0 ? undefined : ways[at + 1];
  return next === undefined || next === 'no' ? null : next;
}

function sound(facts: Facts): { audioOnly?: true } {
  return facts.vcodec === null ? { audioOnly: true } : {};
}

function hasSound(facts: Facts): boolean {
  return codecOf(facts, trackOf(facts, null)) !== null;
}

/** Sound without a decoder matters only if nothing else is to be played. */
function undecodable(facts: Facts, audio: number | null): Obstacle | null {
  const { vcodec } = facts;
  if (vcodec !== null) return UNDECODABLE.has(vcodec) ? { kind: 'vcodec', name: vcodec } : null;
  const acodec = codecOf(facts, trackOf(facts, audio));
  return acodec !== null && UNDECODABLE.has(acodec) ? { kind: 'acodec', name: acodec } : null;
}

/** Returns the numbers of a film that this device decodes too slowly; null if it is fast enough, or was never measured. */
export function slowness({ vcodec, width, height }: Facts, device: Device): DeviceLimit | null {
  const possible = vcodec === null ? undefined : device.speeds[vcodec];
  if (vcodec === null || possible === undefined || !width || !height) return null;
  const needed = needOf(width, height);
  return possible < needed * BEARABLE ? { kind: 'device', codec: vcodec, needed, possible } : null;
}
