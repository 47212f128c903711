/** Plays a file with the committed decoders in Node, as a worker would. */
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Decoder } from '../../src/playback/decode/worker/decoder';
import type { Answer, Transport } from '../../src/playback/decode/worker/transport';
import type { Contents, FromWorker, Lane, Picture, SubtitleCue } from '../../src/playback/decode/protocol';

export type Build = 'sound' | 'full';

const compiled = new Map<Build, Promise<WebAssembly.Module>>();

/** Returns a build of the decoders, compiled once. */
export function compile(build: Build): Promise<WebAssembly.Module> {
  const known = compiled.get(build);
  if (known) return known;
  const module = WebAssembly.compile(readFileSync(join(import.meta.dirname, `../../av/${build}.wasm`)));
  compiled.set(build, module);
  return module;
}

/** Serves a file like the server does. */
export class FileTransport implements Transport {
  constructor(private readonly path: string) {}

  now(start: number, end: number): Answer {
    const file = openSync(this.path, 'r');
    try {
      const { size } = fstatSync(file);
      const data = new Uint8Array(Math.max(0, Math.min(end, size) - start));
      readSync(file, data, 0, data.length, start);
      return { kind: 'bytes', data, size, tag: 'tag' };
    } finally {
      closeSync(file);
    }
  }

  later(start: number, end: number): Promise<Answer> {
    return Promise.resolve(this.now(start, end));
  }
}

/** Serves bytes in memory. */
export class BytesTransport implements Transport {
  constructor(private readonly bytes: Uint8Array) {}

  now(start: number, end: number): Answer {
    return { kind: 'bytes', data: this.bytes.slice(start, end), size: this.bytes.length, tag: 'tag' };
  }

  later(start: number, end: number): Promise<Answer> {
    return Promise.resolve(this.now(start, end));
  }
}

export interface Played {
  contents: Contents | null;
  readonly messages: FromWorker[];
  readonly pictures: Picture[];
  readonly cues: SubtitleCue[];
  readonly lanes: Map<'video' | 'audio', { mime: string; offset: number; bytes: Uint8Array[] }>;
  failure: Extract<FromWorker, { kind: 'failed' }> | null;
  hasEnded: boolean;
}

export interface Wanted {
  readonly build?: Build;
  readonly at?: number;
  /** Methods of the first streams; null for none. */
  readonly video?: Lane['method'] | null;
  readonly audio?: Lane['method'] | null;
  /** Seconds after which the page stops playback. */
  readonly seconds?: number;
  /** Position of playback far behind, so that back-pressure counts. */
  readonly clock?: number;
  readonly subtitles?: boolean;
  /** Repeats the run after its end. */
  readonly again?: boolean;
}

const RUN = 1;
/** Milliseconds without a message after which playback skips some seconds. */
const PAUSE = 300;
const JUMP = 1e6;

/** Plays a file from a position to its end, or for some seconds. The page draws every picture at once. */
export async function play(file: string | Transport, wanted: Wanted = {}): Promise<Played> {
  const played = empty();
  const { at = 0 } = wanted;
  let hasPictures = false;
  let count = 0;
  let jump = 0;
  // Without pictures, playback is always where the decoder is.
  const clock = () => wanted.clock ?? (hasPictures ? (played.pictures.at(-1)?.time ?? at) + jump : 1e6);
  const tick = () =>
    void decoder.receive({ kind: 'clock', run: RUN, time: clock(), waiting: 0, hidden: false });
  const decoder: Decoder = new Decoder({
    transport: () => (typeof file === 'string' ? new FileTransport(file) : file),
    compile,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    post: (message) => {
      record(played, message);
      count += 1;
      const time = message.kind === 'picture' ? message.picture.time : 0;
      if (wanted.seconds !== undefined && time > at + wanted.seconds) void decoder.receive({ kind: 'close' });
      // The page has drawn it, and playback is there.
      if (message.kind === 'picture' || message.kind === 'bytes') tick();
    },
  });
  // The time stamps of damaged files jump. Playback moves on across gaps.
  let before = 0;
  const timer = setInterval(() => {
    if (count === before) jump += JUMP;
    before = count;
    tick();
  }, PAUSE);
  try {
    await playWith(
      decoder,
      typeof file === 'string' ? file : '',
      wanted,
      played,
      (has) => (hasPictures = has),
    );
  } finally {
    clearInterval(timer);
  }
  return played;
}

async function playWith(
  decoder: Decoder,
  name: string,
  wanted: Wanted,
  played: Played,
  onpictures: (has: boolean) => void,
): Promise<void> {
  await decoder.receive({ kind: 'open', url: '', wasm: wanted.build ?? 'full', name });
  if (!played.contents) return;
  const { streams } = played.contents;
  const lane = (type: 'video' | 'audio'): Lane | null => {
    const stream = streams.find((one) => one.type === type);
    const usual = stream?.decodable === false && stream.mime !== null ? 'copy' : 'decode';
    const method = wanted[type] === undefined ? usual : wanted[type];
    return stream && method ? { stream: stream.index, method } : null;
  };
  const video = lane('video');
  onpictures(video?.method === 'decode');
  const subtitles = wanted.subtitles
    ? streams.filter(({ type }) => type === 'subtitle').map(({ index }) => index)
    : [];
  const start = {
    kind: 'start',
    run: RUN,
    at: wanted.at ?? 0,
    video,
    audio: lane('audio'),
    subtitles,
  } as const;
  await decoder.receive(start);
  if (wanted.again) await decoder.receive(start);
}

function empty(): Played {
  const lists = { messages: [], pictures: [], cues: [] };
  return { ...lists, contents: null, lanes: new Map(), failure: null, hasEnded: false };
}

function record(played: Played, message: FromWorker): void {
  played.messages.push(message);
  switch (message.kind) {
    case 'opened':
      played.contents = message.contents;
      return;
    case 'lane':
      played.lanes.set(message.lane, { mime: message.mime, offset: message.offset, bytes: [] });
      return;
    case 'bytes':
      played.lanes.get(message.lane)?.bytes.push(new Uint8Array(message.data));
      return;
    case 'picture':
      played.pictures.push(message.picture);
      return;
    case 'subtitle':
      played.cues.push(message.cue);
      return;
    case 'failed':
      played.failure = message;
      return;
    case 'end':
      played.hasEnded = true;
  }
}

/** Returns the bytes of a lane as one file. */
export function laneBytes(played: Played, lane: 'video' | 'audio'): Uint8Array {
  return Buffer.concat(played.lanes.get(lane)?.bytes ?? []);
}
