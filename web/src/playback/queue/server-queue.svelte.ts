/**
 * Saves the queue of this tab as the user's queue on the server. Changes are sent at once, positions in a long interval.
 * If another device changed the queue meanwhile, the user decides between both.
 */
import { ApiError, isFinal } from '../../api/client';
import type { ListEntry, Queue } from '../../api/models';
import type { QueueContent, QueuePosition } from '../../api/lists/queue';
import { readOffer, type Offer, type QueueReader } from './server-offer';

/** The queue of this tab: ids of files, the index of the current one, and the position in it in seconds. */
export type Snapshot = QueueContent;

/** The queue that the server is known to have. */
export interface Confirmed extends Snapshot {
  version: number;
  /** Requests without a response. */
  sent?: readonly Sent[];
}

/** A request; without files, it keeps them. */
type Sent = Partial<Pick<Snapshot, 'files'>> & Pick<Snapshot, 'current' | 'position'>;

export interface Api extends QueueReader {
  replace(content: QueueContent, version: number | null): Promise<Queue>;
  update(position: QueuePosition, version: number | null, keepalive?: boolean): Promise<Queue>;
  clear(version: number): Promise<void>;
}

/** Keeps the confirmed queue over a reload of the page. */
export interface Store {
  get(): Confirmed | null;
  set(confirmed: Confirmed | null): void;
}

/** Milliseconds in which several changes become one request. */
const SOON = 400;
/** Milliseconds between two positions. */
const POSITION_INTERVAL = 30_000;
/** Milliseconds before a failed request is repeated. */
const RETRY = 15_000;
/** Largest page of the server. */
const MOST = 500;
/** Number of requests without a response that are remembered. */
const MOST_SENT = 3;

export class ServerQueue {
  /** The queue of another device, which replaced the one of this tab. */
  conflict = $state.raw<Offer | null>(null);
  #confirmed: Confirmed | null;
  /** Files that the server rejected. */
  #rejected: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  /** The request in flight. */
  #sending: Promise<unknown> | null = null;
  #isClosed = false;

  constructor(
    private readonly api: Api,
    private readonly store: Store,
    /** Returns null while the queue of this tab is incomplete. */
    private readonly snapshot: () => Snapshot | null,
    private readonly now: () => number = Date.now,
  ) {
    this.#confirmed = store.get();
  }

  /** The queue changed, or playback paused. */
  changed(): void {
    this.#schedule(SOON);
  }

  /** Playback continues. */
  moved(): void {
    this.#schedule(POSITION_INTERVAL);
  }

  /** Sends what the server does not have. `keepalive` is for a page that closes. */
  async flush(keepalive = false): Promise<void> {
    if (this.#sending) return this.#schedule(SOON);
    this.#unschedule();
    if (this.#isClosed || this.conflict) return;
    const now = this.snapshot();
    const write = now && this.#writeOf(now);
    if (!now || !write) return;
    const sent = write(keepalive)
      .then(
        () => null,
        (error: unknown) => ({ error }),
      )
      .finally(() => (this.#sending = null));
    this.#sending = sent;
    const failure = await sent;
    if (failure) await this.#fail(failure.error, now);
  }

  /** Asks for a queue of another device, for example after a long pause. */
  async check(): Promise<void> {
    if (this.#isClosed || this.#sending || this.conflict || !this.#confirmed) return;
    const offer = await readOffer(this.api).catch(() => null);
    // The repeated request checks again.
    if (!offer) return this.#schedule(RETRY);
    if (this.#isClosed || this.#sending || offer.version === this.#confirmed.version) return;
    const own = ownWrite(this.#confirmed, offer);
    if (own) {
      this.#confirm(own);
      this.changed();
    } else if (offer.entry) this.conflict = offer;
    else this.#overwrite(offer.version);
  }

  /** Replaces the queue of the other device by the one of this tab. */
  keep(): void {
    const { conflict } = this;
    if (!conflict) return;
    this.conflict = null;
    this.#overwrite(conflict.version);
  }

  /** Reads the whole queue of the server. */
  async read(): Promise<{ queue: Queue; entries: ListEntry[] }> {
    const queue = await this.api.get({ offset: 0, limit: MOST });
    const isLong = queue.total > MOST;
    const more = isLong ? await this.api.get({ offset: MOST, limit: MOST }) : null;
    return { queue, entries: [...queue.items, ...(more?.items ?? [])] };
  }

  /** The queue of this tab is that of the server now. */
  adopt(confirmed: Confirmed): void {
    this.conflict = null;
    this.#confirm(confirmed);
  }

  /** The user closed the player: the queue ends on the server, too, unless another device changed it. */
  async clear(): Promise<void> {
    this.close();
    // A request in flight writes the queue again.
    await this.#sending;
    const confirmed = this.#confirmed;
    this.#confirm(null);
    if (confirmed) await this.api.clear(confirmed.version).catch(() => {});
  }

  /** The player is closed. */
  close(): void {
    this.#unschedule();
    this.#isClosed = true;
  }

  #schedule(delay: number): void {
    const due = this.now() + delay;
    if (this.#isClosed || due >= this.#dueAt) return;
    this.#unschedule();
    this.#dueAt = due;
    this.#timer = setTimeout(() => void this.flush(), delay);
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** Returns the smallest request that saves a queue; null if the server has it. */
  #writeOf(now: Snapshot): ((keepalive: boolean) => Promise<void>) | null {
    const before = this.#confirmed;
    const skipped = before ? before.files.length - now.files.length : -1;
    // Entries that were played stay on the server, until the list changes.
    const isKnown = before !== null && isTail(now.files, before.files, skipped);
    if (!isKnown) {
      if (this.#rejected === now.files.join()) return null;
      return async () => {
        this.#announce(now);
        const { version } = await this.api.replace(now, before?.version ?? null);
        this.#confirm({ ...now, version });
      };
    }
    const position = { current: skipped + now.current, position: now.position };
    if (position.current === before.current && position.position === before.position) return null;
    return async (keepalive) => {
      this.#announce(position);
      const { version } = await this.api.update(position, before.version, keepalive);
      this.#confirm({ files: before.files, ...position, version });
    };
  }

  /** A request without a response can have reached the server, for example because the page closed. */
  #announce(request: Sent): void {
    if (!this.#confirmed) return;
    const sent = [...(this.#confirmed.sent ?? []), request].slice(-MOST_SENT);
    this.#confirmed = { ...this.#confirmed, sent };
    this.store.set(this.#confirmed);
  }

  async #fail(error: unknown, now: Snapshot): Promise<void> {
    if (error instanceof ApiError && error.status === 412) return this.check();
    if (isFinal(error)) this.#rejected = now.files.join();
    else this.#schedule(RETRY);
  }

  /** The next request replaces a version. */
  #overwrite(version: number): void {
    this.#confirm({ files: [], current: 0, position: 0, version });
    this.changed();
  }

  #confirm(confirmed: Confirmed | null): void {
    this.#confirmed = confirmed;
    if (confirmed) this.#rejected = null;
    this.store.set(confirmed);
  }
}

/** Returns the queue after a request of this tab if that explains the version of the server. */
function ownWrite({ files: before, version, sent = [] }: Confirmed, offer: Offer): Confirmed | null {
  if (offer.version !== version + 1) return null;
  const own = sent.find(
    ({ files = before, current, position }) =>
      offer.position === position && offer.entry?.file_id === files[current],
  );
  return own ? { files: before, ...own, version: offer.version } : null;
}

function isTail(part: readonly number[], all: readonly number[], skipped: number): boolean {
  return skipped >= 0 && part.length > 0 && part.every((id, at) => id === all[skipped + at]);
}
