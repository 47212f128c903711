/** Types of RFC 6381 for streams whose packets can be passed on: exact profiles and levels, from their headers. */

/** A stream as the module describes it. */
export interface RawStream {
  readonly index: number;
  readonly type: 'video' | 'audio' | 'subtitle';
  readonly codec: string;
  readonly language: string;
  readonly title: string;
  readonly pixelFormat: string;
  readonly header?: string;
  /** First bytes of the codec's header, hexadecimal. */
  readonly extradata: string;
  readonly decodable: number;
  readonly default: number;
  readonly forced: number;
  readonly profile: number;
  readonly level: number;
  /** Pictures that wait for others before they are shown. */
  readonly delay: number;
  readonly width: number;
  readonly height: number;
  readonly rate: number;
  readonly sampleRate: number;
  readonly channels: number;
}

/** Larger sample rates are converted. */
const MAX_RATE = 96_000;

/** Returns the type, or null if the packets cannot be passed on. */
export function mimeOf(stream: RawStream, format: string): string | null {
  const codec =
    stream.type === 'video' ? video(stream, format) : stream.type === 'audio' ? audio(stream) : null;
  if (codec === null) return null;
  return codec.includes('/') ? codec : `${stream.type}/mp4; codecs="${codec}"`;
}

function video(stream: RawStream, format: string): string | null {
  // AVI has no times of display: only a decoder finds the order of pictures.
  if (format === 'avi' && stream.delay > 0) return null;
  const header = bytesOf(stream.extradata);
  switch (stream.codec) {
    case 'h264':
      return avc(header);
    case 'hevc':
      return hevc(header);
    case 'vp9':
      return vp9(stream);
    case 'av1':
      return av1(header);
    default:
      return null;
  }
}

function audio(stream: RawStream): string | null {
  if (stream.channels < 1 || stream.channels > 8) return null;
  const header = bytesOf(stream.extradata);
  switch (stream.codec) {
    case 'aac':
      return aac(stream, header);
    case 'opus':
      return header.length > 0 ? 'opus' : null;
    case 'flac':
      return header.length > 0 && stream.sampleRate <= MAX_RATE ? 'flac' : null;
    case 'mp3':
      return 'audio/mpeg';
    default:
      return null;
  }
}

function bytesOf(hexadecimal: string): number[] {
  return (hexadecimal.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

const hex = (value: number) => value.toString(16).toUpperCase().padStart(2, '0');

/** Returns the bytes after the first parameter set of a type, from a header with start codes. */
function parameterSet(header: readonly number[], isSought: (first: number) => boolean): number[] | null {
  for (let at = 0; at + 4 < header.length; at++) {
    const isStart = header[at] === 0 && header[at + 1] === 0 && header[at + 2] === 1;
    if (!isStart || !isSought(header[at + 3] ?? 0)) continue;
    const rest = header.slice(at + 3);
    // A three after two zeros only prevents false start codes.
    return rest.filter((byte, index) => !(byte === 3 && rest[index - 1] === 0 && rest[index - 2] === 0));
  }
  return null;
}

function avc(header: readonly number[]): string | null {
  const SPS = 7;
  const set = header[0] === 1 ? header : parameterSet(header, (first) => (first & 31) === SPS);
  if (!set || set.length < 4) return null;
  return `avc1.${set.slice(1, 4).map(hex).join('')}`;
}

function hevc(header: readonly number[]): string | null {
  const SPS = 33;
  // Both begin with profile, compatibility, constraints and level, after one or three bytes.
  const set =
    header[0] === 1
      ? header.slice(1)
      : parameterSet(header, (first) => ((first >> 1) & 63) === SPS)?.slice(3);
  if (!set || set.length < 12) return null;
  const [first = 0, ...rest] = set;
  const space = ['', 'A', 'B', 'C'][first >> 6];
  const tier = first & 32 ? 'H' : 'L';
  const compatible = reversed(rest.slice(0, 4)).toString(16).toUpperCase();
  const constraints = rest.slice(4, 10);
  while (constraints.length > 0 && constraints.at(-1) === 0) constraints.pop();
  const parts = [
    `${space}${first & 31}`,
    compatible,
    `${tier}${rest[10]}`,
    ...constraints.map((byte) => byte.toString(16).toUpperCase()),
  ];
  return `hvc1.${parts.join('.')}`;
}

/** Returns 32 bits in reverse order. */
function reversed(bytes: readonly number[]): number {
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Number.parseInt([...bits].reverse().join(''), 2);
}

/** Levels of VP9 with their largest number of pixels per picture and per second. */
const VP9_LEVELS = [
  [10, 36_864, 829_440],
  [11, 73_728, 2_764_800],
  [20, 122_880, 4_608_000],
  [21, 245_760, 9_216_000],
  [30, 552_960, 20_736_000],
  [31, 983_040, 36_864_000],
  [40, 2_228_224, 83_558_400],
  [41, 2_228_224, 160_432_128],
  [50, 8_912_896, 311_951_360],
  [51, 8_912_896, 588_251_136],
  [52, 8_912_896, 1_176_502_272],
  [60, 35_651_584, 1_176_502_272],
  [61, 35_651_584, 2_353_004_544],
] as const;

function vp9(stream: RawStream): string {
  const pixels = stream.width * stream.height;
  const fits = VP9_LEVELS.find(([, picture, second]) => pixels <= picture && pixels * stream.rate <= second);
  const level = fits?.[0] ?? 62;
  const depth = depthOf(stream.pixelFormat);
  const isFull = /^yuv4(44|22|40)/.test(stream.pixelFormat);
  const profile = stream.profile >= 0 ? stream.profile : (depth > 8 ? 2 : 0) + (isFull ? 1 : 0);
  return `vp09.${[profile, level, depth].map((value) => `${value}`.padStart(2, '0')).join('.')}`;
}

function depthOf(pixelFormat: string): number {
  return Number(/p(9|1[0-6])(le|be)?$/.exec(pixelFormat)?.[1] ?? 8);
}

function av1(header: readonly number[]): string | null {
  const [marker, profile = 0, flags = 0] = header;
  if (marker !== 0x81) return null;
  const level = `${profile & 31}`.padStart(2, '0');
  const isDeep = (flags & 0x40) !== 0;
  const depth = isDeep ? ((flags & 0x20) !== 0 ? 12 : 10) : 8;
  return `av01.${profile >> 5}.${level}${flags & 0x80 ? 'H' : 'M'}.${`${depth}`.padStart(2, '0')}`;
}

/** Object types of AAC that browsers decode: LC, with and without SBR and PS, and xHE. */
const AAC = new Set([2, 5, 29, 42]);

function aac(stream: RawStream, header: readonly number[]): string | null {
  const [first = 0, second = 0] = header;
  const short = first >> 3;
  const long = 32 + ((first & 7) << 3) + (second >> 5);
  // ADTS has no header; FFmpeg's profiles are one less.
  const type = header.length === 0 ? stream.profile + 1 : short === 31 ? long : short;
  return AAC.has(type) ? `mp4a.40.${type}` : null;
}
