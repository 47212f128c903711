/**
 * What happens on the server, as it happens. A browser lends a host few connections, so that of all its open pages one
 * listens and tells the others; a page that nobody sees leaves the listening to one that is seen.
 */
import type { Enrichment } from '../library/metadata';
import type { JobState, ScanStatus } from './types';

export interface ScanEvent extends ScanStatus {
  library_id: number;
}
export interface EnrichmentEvent extends Enrichment {
  library_id: number;
}
export interface JobEvent {
  id: number;
  kind: string;
  ref_id: number | null;
  status: JobState;
}
/** Items of a library got other covers. */
export interface CoversEvent {
  library_id: number;
}
/**
 * Some events were missed. Where the server says so, the status of every scan follows; of jobs and covers nothing
 * does. `returned`: nobody of this browser listened for a while, and only scans that run are told of.
 */
export interface ResetEvent {
  reason: 'reconnected' | 'lagged' | 'returned';
}
export type LiveEvent =
  | { type: 'scan'; data: ScanEvent }
  | { type: 'enrichment'; data: EnrichmentEvent }
  | { type: 'job'; data: JobEvent }
  | { type: 'covers'; data: CoversEvent }
  | { type: 'reset'; data: ResetEvent };

/** The parts of the browser's own that are used, for tests to stand in for. */
export interface Source {
  onopen: ((event: Event) => unknown) | null;
  onerror: ((event: Event) => unknown) | null;
  readonly readyState: number;
  addEventListener(type: string, listener: (event: MessageEvent<string>) => void): void;
  close(): void;
}
export interface Channel {
  onmessage: ((event: MessageEvent<unknown>) => unknown) | null;
  postMessage(message: unknown): void;
  close(): void;
}
export interface Surroundings {
  source: () => Source;
  channel: () => Channel | null;
  visible: () => boolean;
}

type Word = { say: 'here'; rank: number } | { say: 'gone' } | { say: 'event'; event: LiveEvent };
/** Called with each event and, for a scan or an enrichment, the status before it. */
type Listener = (event: LiveEvent, before: ScanEvent | EnrichmentEvent | undefined) => void;

const BEAT = 5000;
const SILENCE = 12_000;
const AGAIN = 10_000;
const CLOSED = 2;

export class Live {
  /** The newest status of each library's scan that was told of. */
  scans = $state.raw<Readonly<Record<number, ScanEvent>>>({});
  /** The newest status of each library's enrichment that an event brought. */
  enrichments = $state.raw<Readonly<Record<number, EnrichmentEvent>>>({});
  /** Whether events come in, here or by way of another page. */
  listening = $state(false);

  /** Called when the stream breaks off. */
  onbreak: () => void = () => {};

  readonly #listeners = new Set<Listener>();
  #source: Source | null = null;
  #channel: Channel | null = null;
  #beat: ReturnType<typeof setInterval> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  /** Whether anything was heard before: then what happened since the last stream was missed. */
  #heard = false;
  /** Of two pages that listen, the one that began later goes on. */
  #rank = 0;

  constructor(private readonly around: Surroundings = browser) {}

  /** The first scan that runs or waits, with its library. */
  get scanning(): ScanEvent | null {
    return Object.values(this.scans).find(isBusy) ?? null;
  }

  on(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Listens for the person who is logged in; the function returned stops that. */
  start(): () => void {
    this.#running = true;
    this.#channel = this.around.channel();
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#hear(data as Word);
    this.#claim();
    return () => this.#stop();
  }

  /** The page was shown or hidden. */
  turn(): void {
    if (!this.#running) return;
    if (!this.around.visible()) this.#leave();
    else if (!this.listening) this.#claim();
  }

  /** The server does not answer: nothing is asked of it until `resume`. */
  suspend(): void {
    this.#drop();
    this.listening = false;
  }

  resume(): void {
    if (!this.listening) this.#claim();
  }

  /** What was asked for and not told. */
  note(scan: ScanEvent): void {
    this.#tell({ type: 'scan', data: scan });
  }

  noteEnrichment(enrichment: EnrichmentEvent): void {
    this.#tell({ type: 'enrichment', data: enrichment });
  }

  #leave(): void {
    if (!this.#source) return;
    this.#drop();
    this.listening = false;
    this.#say({ say: 'gone' });
  }

  #stop(): void {
    this.#running = false;
    this.#leave();
    this.#drop();
    clearTimeout(this.#silence);
    this.#channel?.close();
    this.#channel = null;
    this.scans = {};
    this.enrichments = {};
    this.listening = false;
    this.#heard = false;
  }

  /** Listens here; whoever did before leaves it to this page. */
  #claim(): void {
    if (!this.#running || this.#source || !this.around.visible()) return;
    clearTimeout(this.#silence);
    clearTimeout(this.#again);
    const source = this.around.source();
    this.#source = source;
    let again = this.#heard;
    source.onopen = () => {
      this.listening = true;
      this.#heard = true;
      if (again) this.#return();
      again = false; // the browser itself says so to the server when it takes a broken stream up
    };
    source.onerror = () => this.#fail();
    source.addEventListener('scan', (event) => this.#read('scan', event.data));
    source.addEventListener('enrichment', (event) => this.#read('enrichment', event.data));
    source.addEventListener('job', (event) => this.#read('job', event.data));
    source.addEventListener('covers', (event) => this.#read('covers', event.data));
    source.addEventListener('reset', (event) => this.#read('reset', event.data));
    this.#rank = Date.now() + Math.random();
    this.#beat = setInterval(() => this.#sayHere(), BEAT);
    this.#sayHere();
  }

  /** A stream of its own begins late: the server does not know that one was here before. */
  #return(): void {
    const event: LiveEvent = { type: 'reset', data: { reason: 'returned' } };
    this.scans = {};
    this.enrichments = {};
    this.#tell(event);
    this.#say({ say: 'event', event });
  }

  /** The browser itself takes up a stream that broke; one that was refused it does not. */
  #fail(): void {
    this.listening = false;
    this.onbreak();
    if (this.#source?.readyState !== CLOSED) return;
    this.#drop();
    this.#again = setTimeout(() => this.#claim(), AGAIN);
  }

  #drop(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#again);
    this.#source?.close();
    this.#source = null;
  }

  #hear(word: Word): void {
    if (this.#source && !(word.say === 'here' && word.rank > this.#rank)) return;
    clearTimeout(this.#silence);
    if (word.say === 'gone') {
      this.listening = false;
      this.#claim();
      return;
    }
    this.#drop();
    if (word.say === 'event') this.#tell(word.event);
    this.listening = true;
    this.#heard = true;
    this.#silence = setTimeout(() => {
      this.listening = false;
      this.#claim();
    }, SILENCE);
  }

  #read(type: LiveEvent['type'], text: string): void {
    const event = { type, data: JSON.parse(text) } as LiveEvent;
    this.#tell(event);
    this.#say({ say: 'event', event });
  }

  #tell(event: LiveEvent): void {
    const before = this.#keep(event);
    for (const listener of this.#listeners) listener(event, before);
  }

  /** Stores a status; returns the one that it replaces. */
  #keep(event: LiveEvent): ScanEvent | EnrichmentEvent | undefined {
    if (event.type === 'scan') {
      const before = this.scans[event.data.library_id];
      this.scans = { ...this.scans, [event.data.library_id]: event.data };
      return before;
    }
    if (event.type !== 'enrichment') return undefined;
    const before = this.enrichments[event.data.library_id];
    this.enrichments = { ...this.enrichments, [event.data.library_id]: event.data };
    return before;
  }

  #sayHere(): void {
    this.#say({ say: 'here', rank: this.#rank });
  }

  #say(word: Word): void {
    this.#channel?.postMessage(word);
  }
}

export function isBusy(scan: ScanStatus | null | undefined): boolean {
  return scan?.status === 'queued' || scan?.status === 'running';
}

const browser: Surroundings = {
  source: () => new EventSource('/api/v1/events'),
  channel: () => (typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('ledge.live')),
  visible: () => document.visibilityState === 'visible',
};
