/**
 * Where this person is in every file. Players report each move; a place is sent at most every five seconds, at once
 * when playing stops, and with the page's last breath when it closes. What does not arrive is sent again later.
 */
import { ApiError, type ApiClient } from '../api/client';
import type { QueryCache } from '../api/query.svelte';
import type { Item, MediaFile, Progress, ProgressRow } from '../api/types';
import { fitting } from './locator';
import { Outbox, type Kept, type Store } from './outbox';

type Api = Pick<ApiClient, 'writeProgress' | 'now'>;
type Subject = Pick<MediaFile, 'id' | 'extent' | 'progress'>;

export interface Reached {
  position: number;
  finished?: boolean;
  locator?: string | null;
}

/** A place as it is known here; the locator is left out where only the server could tell it. */
export type Known = Progress & { locator?: string | null };

const PAUSE = 5000;
const RETRY = 30_000;
/** Answers in which places are shown, or by which they are sorted and counted. */
const SHOWING = ['home', 'history', 'item', 'letters', 'search'] as const;

export class Places {
  /** Newer than what the server's answers say, by file. */
  #local = $state.raw<Readonly<Record<number, Known>>>({});
  readonly #outbox: Outbox;
  readonly #waiting = new Map<number, { write: Kept; timer: number }>();
  readonly #sentAt = new Map<number, number>();
  #last = 0;
  #retry: number | undefined;
  /** Counts who sat here. */
  #sitting = 0;

  constructor(
    private readonly api: Api,
    private readonly cache: Pick<QueryCache, 'expire' | 'lapse'>,
    store: Store,
  ) {
    this.#outbox = new Outbox(store);
  }

  /** Listens for the end of the page and the return of the network; the function returned stops that. */
  start(): () => void {
    const leave = () => this.settle({ keepalive: true });
    const hide = () => document.visibilityState === 'hidden' && leave();
    const online = () => void this.flush();
    addEventListener('pagehide', leave);
    addEventListener('online', online);
    document.addEventListener('visibilitychange', hide);
    return () => {
      removeEventListener('pagehide', leave);
      removeEventListener('online', online);
      document.removeEventListener('visibilitychange', hide);
    };
  }

  /** Another person sits here, or nobody. */
  become(user: number | null): void {
    this.#sitting += 1;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    clearTimeout(this.#retry);
    this.#waiting.clear();
    this.#sentAt.clear();
    this.#outbox.open(user);
    this.#local = Object.fromEntries(
      this.#outbox.all.map((write) => [write.file_id, asProgress(write, null)]),
    );
  }

  /** The newest known place in a file. */
  of(file: Subject): Known | null {
    const local = this.#local[file.id];
    if (!local) return file.progress;
    return file.progress && file.progress.updated_at > local.updated_at ? file.progress : local;
  }

  /** Where to go on in a file: its start where it is finished or new. */
  resume(file: Subject): number {
    const place = this.of(file);
    return place && !place.finished ? place.position : 0;
  }

  /** A player has come to a place. */
  note(item: Pick<Item, 'id'>, file: Subject, reached: Reached): void {
    if (!Number.isFinite(reached.position)) return; // no place at all
    const locator = reached.locator === undefined ? undefined : fitting(reached.locator);
    const whole = Math.max(0, Math.floor(reached.position));
    const position = file.extent === null ? whole : Math.min(whole, file.extent);
    const finished = reached.finished ?? false;
    const before: Pick<Known, 'position' | 'finished' | 'locator'> | null =
      this.#waiting.get(file.id)?.write ?? this.of(file);
    const elsewhere = locator !== undefined && locator !== before?.locator;
    if (before && before.position === position && before.finished === finished && !elsewhere) return;
    const write: Kept = {
      item_id: item.id,
      file_id: file.id,
      position,
      finished,
      recorded_at: this.#moment(),
      ...(locator === undefined ? {} : { locator }),
    };
    this.#local = { ...this.#local, [file.id]: asProgress(write, file.extent) };
    this.#wait(write);
  }

  /** Sends what is still held back. */
  settle({ keepalive = false } = {}): void {
    for (const { write, timer } of [...this.#waiting.values()]) {
      clearTimeout(timer);
      this.#waiting.delete(write.file_id);
      void this.#send(write, keepalive).then((arrived) => arrived && this.#tell());
    }
  }

  /** Tells from now on whether who sits here now still does: an answer belongs to the one that asked. */
  sitter(): () => boolean {
    const sitting = this.#sitting;
    return () => sitting === this.#sitting;
  }

  /** The server's word on a place, whatever was still to be sent. */
  take(row: ProgressRow): void {
    this.#drop(row.file_id);
    this.#local = { ...this.#local, [row.file_id]: row };
    this.#tell();
  }

  /** Nothing is known of an item any more, nor to be sent. */
  drop(item: Pick<Item, 'id' | 'files'>): void {
    const local = { ...this.#local };
    for (const file of item.files) {
      this.#drop(file.id);
      delete local[file.id];
    }
    this.#outbox.forget(item.id);
    this.#local = local;
    this.#tell();
  }

  /** Sends again what never arrived, oldest first, until one does not arrive. */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    let some = false;
    for (const write of this.#outbox.all) {
      // Forgotten meanwhile, replaced by a newer one, or of whoever sat here before.
      if (this.#outbox.of(write.file_id) !== write) continue;
      if (!(await this.#send(write, false))) break;
      some = true;
    }
    if (some) this.#tell();
  }

  #wait(write: Kept): void {
    const held = this.#waiting.get(write.file_id);
    if (held) {
      held.write = write;
      return;
    }
    const since = Date.now() - (this.#sentAt.get(write.file_id) ?? Number.NEGATIVE_INFINITY);
    const timer = window.setTimeout(
      () => {
        const due = this.#waiting.get(write.file_id);
        this.#waiting.delete(write.file_id);
        if (due) void this.#send(due.write, false).then((arrived) => arrived && this.#whisper());
      },
      Math.max(0, PAUSE - since),
    );
    this.#waiting.set(write.file_id, { write, timer });
  }

  /** Whether it is done with, stored or refused for good, and whoever sent it sees that. */
  async #send(write: Kept, keepalive: boolean): Promise<boolean> {
    this.#outbox.put(write);
    this.#sentAt.set(write.file_id, Date.now());
    const { owner } = this.#outbox;
    const sits = this.sitter();
    const { item_id, ...body } = write;
    try {
      await this.api.writeProgress(item_id, body, keepalive);
    } catch (error) {
      if (!isFinal(error)) {
        if (!sits()) return false; // it is kept, and sent when its owner is back
        clearTimeout(this.#retry);
        this.#retry = window.setTimeout(() => void this.flush(), RETRY);
        return false;
      }
    }
    this.#outbox.remove(write, owner);
    return sits();
  }

  #drop(file: number): void {
    const held = this.#waiting.get(file);
    clearTimeout(held?.timer);
    this.#waiting.delete(file);
    const kept = this.#outbox.of(file);
    if (kept) this.#outbox.remove(kept);
  }

  /** What shows places is asked for again. */
  #tell(): void {
    for (const prefix of SHOWING) this.cache.expire(prefix);
  }

  /** The same, but what is on the screen stands: every few seconds would be too often. */
  #whisper(): void {
    for (const prefix of SHOWING) this.cache.lapse(prefix);
  }

  /** Now, and always after the moment before: the server takes the later of two places. */
  #moment(): string {
    this.#last = Math.max(this.api.now(), this.#last + 1);
    return new Date(this.#last).toISOString().replace('Z', '000Z');
  }
}

function asProgress(write: Kept, extent: number | null): Known {
  const share = extent ? write.position / extent : null;
  return {
    file_id: write.file_id,
    position: write.position,
    extent,
    fraction: write.finished ? 1 : share,
    finished: write.finished,
    updated_at: write.recorded_at,
    ...(write.locator === undefined ? {} : { locator: write.locator }),
  };
}

/** A refusal that asking again will not change: the item is gone, or the place does not fit it any more. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status >= 400 &&
    error.status < 500 &&
    ![401, 429].includes(error.status)
  );
}
