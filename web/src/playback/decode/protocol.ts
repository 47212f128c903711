/** Messages between the page and the decoder worker. Times are seconds from the start of the film, as numbers. */

export interface Stream {
  /** Number of the stream in the file. */
  readonly index: number;
  readonly type: 'video' | 'audio' | 'subtitle';
  /** FFmpeg's name of the codec. */
  readonly codec: string;
  /** RFC 6381 type for MSE, if its packets can be passed on as fragmented MP4. */
  readonly mime: string | null;
  /** True if this build of the decoders decodes it. */
  readonly decodable: boolean;
  /** BCP 47; empty if unknown. */
  readonly language: string;
  readonly title: string;
  readonly isDefault: boolean;
  readonly isForced: boolean;
  /** Picture in pixels, before aspect ratio and rotation; 0 for other streams. */
  readonly width: number;
  readonly height: number;
  readonly pixelFormat: string;
  /** Frames per second, or 0. */
  readonly rate: number;
  readonly sampleRate: number;
  readonly channels: number;
  /** Header of text subtitles in ASS, with their styles; empty for others. */
  readonly header?: string;
}

export interface Chapter {
  readonly start: number;
  readonly title: string;
}

export interface Contents {
  readonly format: string;
  /** Seconds, or null if unknown. */
  readonly duration: number | null;
  readonly streams: readonly Stream[];
  readonly chapters: readonly Chapter[];
}

/** One decoded picture. The planes are Y, U, V; a picture without colour has one. */
export interface Picture {
  readonly time: number;
  readonly width: number;
  readonly height: number;
  readonly planes: readonly {
    readonly data: ArrayBuffer;
    readonly stride: number;
    readonly width: number;
    readonly height: number;
  }[];
  /** `planar` (Y, U, V) or `rgba` (one plane of 4 bytes a pixel). */
  readonly layout: 'planar' | 'rgba';
  /** Bits of a sample: 8, or 9 to 16 as little-endian words. */
  readonly depth: number;
  readonly fullRange: boolean;
  readonly matrix: 'bt601' | 'bt709' | 'bt2020';
  readonly transfer: 'sdr' | 'pq' | 'hlg';
  readonly interlaced: 'no' | 'top' | 'bottom';
  /** Width of a pixel divided by its height. */
  readonly pixelAspect: number;
  /** Clockwise degrees to turn the picture: 0, 90, 180 or 270. */
  readonly rotation: 0 | 90 | 180 | 270;
}

export interface SubtitleCue {
  readonly stream: number;
  readonly start: number;
  /** Null: until the next one. */
  readonly end: number | null;
  /** ASS event line (`ReadOrder,Layer,Style,…,Text`) for text, null for pictures. */
  readonly text: string | null;
  /** Pictures as RGBA, placed on an area of `width` × `height`; an empty list clears. */
  readonly area: { readonly width: number; readonly height: number } | null;
  readonly pictures: readonly {
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
    readonly data: ArrayBuffer;
  }[];
}

export type Failure =
  /** The session is over (401). */
  | 'session'
  /** The server has no such file (404). */
  | 'missing'
  /** The file has another size or ETag than at the start. */
  | 'changed'
  /** The container or codec is unknown to this build. */
  | 'unsupported'
  /** The file contains no packets of sound or pictures. */
  | 'empty'
  /** The data cannot be decoded. */
  | 'damaged'
  /** The code of the decoder did not arrive. A further attempt can succeed. */
  | 'unloaded'
  /** The browser cannot draw the pictures. */
  | 'graphics'
  /** The decoder crashed or ran out of memory. */
  | 'crashed';

/** Method for a stream: pass its packets on, or decode it (sound becomes FLAC, pictures become frames). */
export type Lane = { readonly stream: number; readonly method: 'copy' | 'decode' };

export type ToWorker =
  /** First message. `wasm` is the build of the decoders: `sound` is smaller and has no pictures. */
  | { kind: 'open'; url: string; wasm: 'sound' | 'full'; name: string }
  /** Starts (or restarts elsewhere, with other tracks). Everything of earlier runs is dropped. */
  | {
      kind: 'start';
      run: number;
      at: number;
      video: Lane | null;
      audio: Lane | null;
      subtitles: readonly number[];
    }
  /** Back-pressure: position of playback, and pictures that wait to be drawn. Sent about ten times a second. */
  | { kind: 'clock'; run: number; time: number; waiting: number; hidden: boolean }
  /** Asks for the last key picture of a stream before a time, with about `width` pixels. Only without runs. */
  | { kind: 'still'; id: number; stream: number; at: number; width: number }
  | { kind: 'retry' }
  | { kind: 'close' };

export type FromWorker =
  | { kind: 'opened'; contents: Contents }
  /** Precedes the first bytes of a lane. The time stamps in the bytes are `offset` seconds too large. */
  | { kind: 'lane'; run: number; lane: 'video' | 'audio'; mime: string; offset: number }
  | { kind: 'bytes'; run: number; lane: 'video' | 'audio'; data: ArrayBuffer }
  | { kind: 'picture'; run: number; picture: Picture }
  | { kind: 'subtitle'; run: number; cue: SubtitleCue }
  /** Answers the `still` with this id; null if the picture is not found soon. `busy` is its work in milliseconds. */
  | { kind: 'still'; id: number; picture: Picture | null; busy: number }
  | { kind: 'end'; run: number }
  /** The worker begins or ends to wait for the network. It is silent meanwhile. */
  | { kind: 'fetching'; isFetching: boolean }
  /** The server cannot be reached; the worker repeats with back-off. `resumed` follows. */
  | { kind: 'stalled'; seconds: number }
  | { kind: 'resumed' }
  | { kind: 'failed'; reason: Failure; detail: string }
  /** Sent at least once a second while the worker is busy. Seconds of decoding pictures, and counters. */
  | { kind: 'statistics'; busy: number; requests: number; bytes: number; heap: number; pictures: number };
