/**
 * The event stream of the server. Browsers allow few connections per host, so one page holds the stream and forwards
 * its events to the others. A hidden page hands the stream over to a visible page.
 */
import type { Enrichment } from './models';
import type { JobState, ScanStatus } from './models';

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
/** The covers of some items of a library changed. */
export interface CoversEvent {
  library_id: number;
}
/**
 * Some events were missed. If the server reports this, the status of every scan follows, but nothing about jobs and
 * covers. `returned`: no page of this browser had a stream for a while, and only running scans are reported.
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

/** The browser interfaces in use; tests replace them. */
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

type ChannelMessage = { say: 'here'; rank: number } | { say: 'gone' } | { say: 'event'; event: LiveEvent };
/** Called with each event. For a scan or an enrichment, the second argument is the status before it. */
type Listener = (event: LiveEvent, before: ScanEvent | EnrichmentEvent | undefined) => void;

const HEARTBEAT = 5000;
const SILENCE_LIMIT = 12_000;
const RETRY_AFTER = 10_000;
const CLOSED = 2;

export class Live {
  /** The latest scan status of each library. */
  scans = $state.raw<Readonly<Record<number, ScanEvent>>>({});
  /** The latest enrichment status of each library. */
  enrichments = $state.raw<Readonly<Record<number, EnrichmentEvent>>>({});
  /** True while events arrive, directly or through another page. */
  listening = $state(false);

  /** Called when the stream is interrupted. */
  onbreak: () => void = () => {};

  readonly #listeners = new Set<Listener>();
  #source: Source | null = null;
  #channel: Channel | null = null;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #running = false;
  /** True after the first event. A new stream then means that events were missed. */
  #receivedAt = false;
  /** Start of this page's stream. If two pages have a stream, the later one keeps it. */
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

  /** Opens the stream for the signed-in user. The returned function closes it. */
  start(): () => void {
    this.#running = true;
    this.#channel = this.around.channel();
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#receive(data as ChannelMessage);
    this.#claim();
    return () => this.#stop();
  }

  /** Handles a change of the page's visibility. */
  visibilityChanged(): void {
    if (!this.#running) return;
    if (!this.around.visible()) this.#leave();
    else if (!this.listening) this.#claim();
  }

  /** Closes the stream until `resume`, because the server is unreachable. */
  suspend(): void {
    this.#drop();
    this.listening = false;
  }

  resume(): void {
    if (!this.listening) this.#claim();
  }

  /** Records a scan status that a response contained. */
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
    this.#broadcast({ say: 'gone' });
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
    this.#receivedAt = false;
  }

  /** Opens the stream in this page. The page that had it closes its own. */
  #claim(): void {
    if (!this.#running || this.#source || !this.around.visible()) return;
    clearTimeout(this.#silence);
    clearTimeout(this.#retryTimer);
    const source = this.around.source();
    this.#source = source;
    let again = this.#receivedAt;
    source.onopen = () => {
      this.listening = true;
      this.#receivedAt = true;
      if (again) this.#return();
      again = false; // the browser itself reports a reconnection to the server
    };
    source.onerror = () => this.#fail();
    source.addEventListener('scan', (event) => this.#read('scan', event.data));
    source.addEventListener('enrichment', (event) => this.#read('enrichment', event.data));
    source.addEventListener('job', (event) => this.#read('job', event.data));
    source.addEventListener('covers', (event) => this.#read('covers', event.data));
    source.addEventListener('reset', (event) => this.#read('reset', event.data));
    this.#rank = Date.now() + Math.random();
    this.#heartbeat = setInterval(() => this.#announceHere(), HEARTBEAT);
    this.#announceHere();
  }

  /** A new stream starts late: the server does not know that this browser had one before. */
  #return(): void {
    const event: LiveEvent = { type: 'reset', data: { reason: 'returned' } };
    this.scans = {};
    this.enrichments = {};
    this.#tell(event);
    this.#broadcast({ say: 'event', event });
  }

  /** The browser reconnects an interrupted stream itself, but not a rejected one. */
  #fail(): void {
    this.listening = false;
    this.onbreak();
    if (this.#source?.readyState !== CLOSED) return;
    this.#drop();
    this.#retryTimer = setTimeout(() => this.#claim(), RETRY_AFTER);
  }

  #drop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retryTimer);
    this.#source?.close();
    this.#source = null;
  }

  #receive(word: ChannelMessage): void {
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
    this.#receivedAt = true;
    this.#silence = setTimeout(() => {
      this.listening = false;
      this.#claim();
    }, SILENCE_LIMIT);
  }

  #read(type: LiveEvent['type'], text: string): void {
    const event = { type, data: JSON.parse(text) } as LiveEvent;
    this.#tell(event);
    this.#broadcast({ say: 'event', event });
  }

  #tell(event: LiveEvent): void {
    const before = this.#keep(event);
    for (const listener of this.#listeners) listener(event, before);
  }

  /** Stores a status and returns the previous one. */
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

  #announceHere(): void {
    this.#broadcast({ say: 'here', rank: this.#rank });
  }

  #broadcast(word: ChannelMessage): void {
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
