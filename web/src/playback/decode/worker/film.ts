/** An open file: the module with its reader, limits of time, and patience with the network. */
import { ActiveTime } from '../../../lib/active-time';
import type { Contents, FromWorker } from '../protocol';
import { contentsOf } from './contents';
import { failureOf, Failed } from './failure';
import { Module, type Exports, type Host } from './module';
import { Reader } from './reader';
import type { Transport } from './transport';

/** The surroundings of the decoder: a worker of a browser, or a test. */
export interface Surroundings {
  readonly transport: (url: string) => Transport;
  readonly compile: (build: 'sound' | 'full') => Promise<WebAssembly.Module>;
  readonly post: (message: FromWorker, transfer: ArrayBuffer[]) => void;
  /** Lets messages in. */
  readonly breathe: () => Promise<void>;
}

/** Receives what the module hands out. */
export type Sink = Pick<Host, 'bytes' | 'picture' | 'cue' | 'cuePicture'>;

/** Milliseconds of a call, without waiting for the server, after which its reads fail. */
const HANG = 10_000;
/** Milliseconds between two reports. */
const REPORT = 1000;
/** Milliseconds before the first repetition of a request; each next one waits twice as long. */
const FIRST_DELAY = 500;
const LONGEST_DELAY = 15_000;
/** Longest step in milliseconds of the time in which a call works, and of an outage. A longer one was a sleep. */
const LONGEST_STEP = 5000;
const LONGEST_OUTAGE_STEP = 2000;

export class Film {
  sink: Sink | null = null;
  /** Seconds of decoding pictures, and decoded pictures. */
  busy = 0;
  pictures = 0;
  readonly reader: Reader;
  #module: Module | null = null;
  #contents: Contents | null = null;
  #recovery: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  #isClosed = false;
  #reported = 0;
  #waits = 0;
  readonly #active = new ActiveTime(LONGEST_STEP);
  /** Time at which the current call began, later by what its reads have waited. */
  #called = 0;

  constructor(
    private readonly surroundings: Surroundings,
    url: string,
  ) {
    this.reader = new Reader(surroundings.transport(url), (isWaiting) => this.#announce(isWaiting));
  }

  get contents(): Contents {
    if (!this.#contents) throw new Error('the film is not open');
    return this.#contents;
  }

  get isOpen(): boolean {
    return this.#contents !== null;
  }

  async open(build: 'sound' | 'full', name: string): Promise<void> {
    const [compiled] = await Promise.all([this.#compile(build), this.prepare()]);
    let module: Module;
    let result: number;
    do {
      // After an interruption, a module may be in any state.
      module = this.#module = await Module.create(compiled, this.#host());
      const created = module;
      result = this.call(() => created.open(this.reader.size, name));
    } while (await this.recovers());
    if (result < 0) throw failureOf(result, this.heap);
    const json = module.contents();
    if (json === '') throw new Failed('damaged', 'the description is too long');
    this.#contents = contentsOf(json);
    this.surroundings.post({ kind: 'opened', contents: this.#contents }, []);
  }

  async #compile(build: 'sound' | 'full'): Promise<WebAssembly.Module> {
    this.#announce(true);
    const compiled = await this.surroundings.compile(build);
    this.#announce(false);
    return compiled;
  }

  /** Announces the first of the concurrent waits for the network, and the end of the last one. */
  #announce(isWaiting: boolean): void {
    const before = this.#waits;
    this.#waits += isWaiting ? 1 : -1;
    const isFetching = this.#waits > 0;
    if (isFetching !== before > 0) this.surroundings.post({ kind: 'fetching', isFetching }, []);
  }

  get heap(): number {
    return this.#module?.heap ?? 0;
  }

  /** Calls the module. Check `recovers` afterwards: the result is void after a problem of the reader. */
  call<Result>(work: (calls: Exports) => Result): Result {
    if (!this.#module) throw new Error('the film is not open');
    this.#called = this.#active.now();
    return work(this.#module.calls);
  }

  /** Fetches what the next call probably reads, for as long as that takes. */
  async prepare(): Promise<void> {
    do await this.reader.prepare();
    while (await this.recovers());
  }

  /** Waits until the server is there again. Returns false if there was no problem. */
  async recovers(): Promise<boolean> {
    const { problem } = this.reader;
    if (!problem) return false;
    if (problem.kind === 'failed') throw new Failed(problem.reason, problem.detail);
    this.#recovery ??= this.#repeat().finally(() => (this.#recovery = null));
    await this.#recovery;
    return true;
  }

  async #repeat(): Promise<void> {
    const outage = new ActiveTime(LONGEST_OUTAGE_STEP);
    // An attempt can take longer than a step of the outage.
    const ticks = setInterval(() => outage.now(), LONGEST_OUTAGE_STEP / 2);
    try {
      for (let delay = FIRST_DELAY; !this.#isClosed; delay = Math.min(delay * 2, LONGEST_DELAY)) {
        this.surroundings.post({ kind: 'stalled', seconds: outage.now() / 1000 }, []);
        await this.#rest(delay);
        await this.reader.prepare();
        if (this.reader.problem?.kind !== 'unreachable') break;
      }
    } finally {
      clearInterval(ticks);
    }
    this.surroundings.post({ kind: 'resumed' }, []);
  }

  async #rest(delay: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  /** Repeats a request at once. */
  retry(): void {
    this.#wake?.();
  }

  close(): void {
    this.#isClosed = true;
    this.retry();
  }

  /** Reports counters, at most once a second. The page takes a silent worker for a stuck one. */
  report(): void {
    const now = performance.now();
    if (now - this.#reported < REPORT) return;
    this.#reported = now;
    const { busy, pictures, heap } = this;
    const { requests, bytes } = this.reader;
    this.surroundings.post({ kind: 'statistics', busy, requests, bytes, heap, pictures }, []);
  }

  #host(): Host {
    return {
      read: (position, length) => this.#read(position, length),
      bytes: (lane, offset, data) => this.sink?.bytes(lane, offset, data),
      picture: (picture) => this.sink?.picture(picture),
      cue: (cue) => this.sink?.cue(cue),
      cuePicture: (x, y, width, height, rgba) => this.sink?.cuePicture(x, y, width, height, rgba),
    };
  }

  #read(position: number, length: number): Uint8Array | null {
    this.report();
    const before = this.#active.now();
    if (before - this.#called > HANG)
      this.reader.problem = { kind: 'failed', reason: 'damaged', detail: 'no progress' };
    if (this.reader.problem) return null;
    const data = this.reader.read(position, length);
    this.#called += this.#active.now() - before;
    return data;
  }
}
