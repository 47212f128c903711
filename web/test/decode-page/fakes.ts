/** A media element, media sources and a worker under the control of the tests. */
import type { FromWorker, Stream, ToWorker } from '../../src/playback/decode/protocol';
import type { OnLost, OpenPort } from '../../src/playback/decode/session/port';

export class FakeRanges {
  constructor(readonly ranges: [number, number][] = []) {}
  get length() {
    return this.ranges.length;
  }
  start = (index: number) => this.ranges[index]?.[0] ?? 0;
  end = (index: number) => this.ranges[index]?.[1] ?? 0;
}

/** A buffer that finishes each step when the test calls `finish`. */
export class FakeBuffer extends EventTarget {
  updating = false;
  timestampOffset = 0;
  buffered = new FakeRanges();
  readonly log: string[] = [];
  /** Appends fail with this error. */
  error: Error | null = null;

  constructor(readonly mime = 'video/mp4') {
    super();
  }
  appendBuffer(data: ArrayBuffer) {
    if (this.error) throw this.error;
    this.#step(`append ${data.byteLength} at ${this.timestampOffset}`);
  }
  remove(from: number, to: number) {
    this.#step(`remove ${from}-${to}`);
  }
  abort() {
    this.log.push('abort');
    this.updating = false;
  }
  changeType(mime: string) {
    this.log.push(`type ${mime}`);
  }
  finish() {
    this.updating = false;
    this.dispatchEvent(new Event('updateend'));
  }
  #step(text: string) {
    if (this.updating) throw new Error('the buffer is busy');
    this.updating = true;
    this.log.push(text);
  }
}

export class FakeSource extends EventTarget {
  static last: FakeSource | null = null;
  static isTypeSupported = (type: string) => !/hvc1|ac-3/.test(type);
  readyState = 'closed';
  duration = Number.NaN;
  readonly buffers: FakeBuffer[] = [];

  constructor() {
    super();
    FakeSource.last = this;
  }
  open() {
    this.readyState = 'open';
    this.dispatchEvent(new Event('sourceopen'));
  }
  addSourceBuffer(mime: string) {
    if (this.buffers.some(({ log }) => log.length > 0)) throw new Error('bytes were appended already');
    const buffer = new FakeBuffer(mime);
    this.buffers.push(buffer);
    return buffer;
  }
  endOfStream() {
    this.readyState = 'ended';
  }
}

export class FakeElement extends EventTarget {
  src = '';
  currentTime = 0;
  readyState = 0;
  paused = false;
  playbackRate = 1;
  defaultPlaybackRate = 1;
  buffered = new FakeRanges();
  play = async () => void (this.paused = false);

  seek(to: number) {
    this.currentTime = to;
    this.dispatchEvent(new Event('seeking'));
  }
}

export const stream = (index: number, type: Stream['type'], more: Partial<Stream> = {}): Stream => ({
  index,
  type,
  codec: type === 'video' ? 'h264' : 'ac3',
  mime: null,
  decodable: true,
  language: '',
  title: '',
  isDefault: false,
  isForced: false,
  width: type === 'video' ? 640 : 0,
  height: type === 'video' ? 360 : 0,
  pixelFormat: 'yuv420p',
  rate: type === 'video' ? 25 : 0,
  sampleRate: 48_000,
  channels: 2,
  ...more,
});

const noReceiver = () => {};

/** A worker whose messages the test sends. */
export function fakePort() {
  const sent: ToWorker[] = [];
  const state = {
    isClosed: false,
    receive: noReceiver as (message: FromWorker) => void,
    lose: noReceiver as OnLost,
  };
  const open: OpenPort = (onmessage, onlost) => {
    Object.assign(state, { receive: onmessage, lose: onlost });
    return {
      open: (url, name) => void sent.push({ kind: 'open', url, wasm: 'full', name }),
      post: (message) => void sent.push(message),
      close: () => (state.isClosed = true),
    };
  };
  const starts = () => sent.filter((message) => message.kind === 'start');
  return { open, sent, starts, state };
}
