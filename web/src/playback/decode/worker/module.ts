/** The decoders in WebAssembly: calls, and what they call. Their other side is `web/av/glue`. */

/** Functions that the module calls while it works. Data is valid during the call only. */
export interface Host {
  read(position: number, length: number): Uint8Array | null;
  bytes(lane: 'video' | 'audio', offset: number, data: Uint8Array): void;
  picture(picture: RawPicture): void;
  cue(cue: RawCue): void;
  cuePicture(x: number, y: number, width: number, height: number, rgba: Uint8Array): void;
}

export interface RawCue {
  readonly stream: number;
  readonly start: number;
  readonly end: number | null;
  /** Null for pictures, which follow. */
  readonly text: string | null;
  readonly width: number;
  readonly height: number;
  readonly pictures: number;
}

export interface RawPlane {
  readonly data: Uint8Array;
  readonly stride: number;
  readonly width: number;
  readonly height: number;
}

export interface RawPicture {
  readonly time: number;
  readonly width: number;
  readonly height: number;
  readonly planes: readonly RawPlane[];
  readonly isRgba: boolean;
  readonly depth: number;
  readonly isFullRange: boolean;
  readonly matrix: number;
  readonly transfer: number;
  readonly interlaced: number;
  readonly aspect: readonly [number, number];
  readonly rotation: number;
}

/** Exported functions. Negative results are FFmpeg's errors. */
export interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  allocate(bytes: number): number;
  open(size: number, name: number): number;
  contents(): number;
  subtitle(stream: number, isWanted: number): void;
  start(video: number, copiesVideo: number, audio: number, copiesAudio: number, at: number): number;
  resume(): number;
  step(): number;
  finish(): number;
  position(): number;
  decode(): number;
  queued(): number;
  trim(time: number): number;
  hurry(isLate: number): void;
}

/** Offsets in bytes of the fields of `Picture` in film.h: a double, integers, and planes. */
const FIELDS = 8;
const FIRST_PLANE = 56;
const PLANE = 16;

/** Longest text in bytes from the module. */
const LONGEST_TEXT = 2 << 20;

/** Code of WASI for a function that does not exist here: files, and the environment. */
const NOT_HERE = 52;

const LANES = ['video', 'audio'] as const;
const text = new TextDecoder();

export class Module {
  #exports: Exports | null = null;

  private constructor(private readonly host: Host) {}

  static async create(compiled: WebAssembly.Module, host: Host): Promise<Module> {
    const module = new Module(host);
    const instance = await WebAssembly.instantiate(compiled, module.#imports(compiled));
    module.#exports = instance.exports as unknown as Exports;
    module.calls._initialize();
    return module;
  }

  get calls(): Exports {
    if (!this.#exports) throw new Error('the module is not instantiated');
    return this.#exports;
  }

  /** Bytes of the module's memory. */
  get heap(): number {
    return this.calls.memory.buffer.byteLength;
  }

  /** Opens the file. Returns 0 or an error. */
  open(size: number, name: string): number {
    const bytes = new TextEncoder().encode(`${name}\0`);
    const pointer = this.calls.allocate(bytes.length);
    this.#bytes(pointer, bytes.length).set(bytes);
    return this.calls.open(size, pointer);
  }

  /** Returns the description of the file as JSON, or an empty text. */
  contents(): string {
    return this.#text(this.calls.contents());
  }

  #bytes(pointer: number, length: number): Uint8Array {
    return new Uint8Array(this.calls.memory.buffer, pointer, length);
  }

  #text(pointer: number): string {
    const { buffer } = this.calls.memory;
    const bytes = new Uint8Array(buffer, pointer, Math.min(LONGEST_TEXT, buffer.byteLength - pointer));
    const end = bytes.indexOf(0);
    return text.decode(end < 0 ? bytes : bytes.subarray(0, end));
  }

  #imports(compiled: WebAssembly.Module): WebAssembly.Imports {
    const imports: Record<string, WebAssembly.ModuleImports> = {};
    for (const { module, name } of WebAssembly.Module.imports(compiled))
      (imports[module] ??= {})[name] = () => NOT_HERE;
    Object.assign((imports.worker ??= {}), this.#functions());
    Object.assign((imports.wasi_snapshot_preview1 ??= {}), {
      clock_time_get: (_clock: number, _precision: bigint, pointer: number) => this.#time(pointer),
      proc_exit: (code: number) => {
        throw new Error(`exit ${code}`);
      },
    });
    return imports;
  }

  #functions(): WebAssembly.ModuleImports {
    const { host } = this;
    return {
      read: (position: number, to: number, length: number) => {
        const data = host.read(position, length);
        if (data) this.#bytes(to, data.length).set(data);
        return data ? data.length : -1;
      },
      bytes: (lane: number, offset: number, pointer: number, length: number) =>
        host.bytes(LANES[lane] ?? 'audio', offset, this.#bytes(pointer, length)),
      picture: (pointer: number) => host.picture(this.#picture(pointer)),
      cue: (
        stream: number,
        start: number,
        end: number,
        pointer: number,
        width: number,
        height: number,
        pictures: number,
      ) => {
        const line = pointer === 0 ? null : this.#text(pointer);
        host.cue({ stream, start, end: end < 0 ? null : end, text: line, width, height, pictures });
      },
      cue_picture: (x: number, y: number, width: number, height: number, pointer: number) =>
        host.cuePicture(x, y, width, height, this.#bytes(pointer, width * height * 4)),
    };
  }

  #time(pointer: number): number {
    const nanoseconds = BigInt(Math.round(performance.now() * 1e6));
    new DataView(this.calls.memory.buffer).setBigUint64(pointer, nanoseconds, true);
    return 0;
  }

  #picture(pointer: number): RawPicture {
    const view = new DataView(this.calls.memory.buffer, pointer);
    const field = (index: number) => view.getInt32(FIELDS + index * 4, true);
    const planes = Array.from({ length: field(2) }, (_, index) =>
      this.#plane(view, FIRST_PLANE + index * PLANE),
    );
    return {
      time: view.getFloat64(0, true),
      width: field(0),
      height: field(1),
      planes,
      isRgba: field(3) !== 0,
      depth: field(4),
      isFullRange: field(5) !== 0,
      matrix: field(6),
      transfer: field(7),
      interlaced: field(8),
      aspect: [field(9), field(10)],
      rotation: field(11),
    };
  }

  #plane(view: DataView, at: number): RawPlane {
    const field = (index: number) => view.getInt32(at + index * 4, true);
    const stride = field(1);
    const height = field(3);
    return { data: this.#bytes(field(0), stride * height), stride, width: field(2), height };
  }
}
