/**
 * The progress of the user in every file. Players report each change. A position is sent at most every five seconds, at
 * once after a pause, and with `keepalive` when the page closes. Undelivered positions are retried.
 */
import { isFinal, type ApiClient } from '../api/client';
import type { QueryCache } from '../api/query.svelte';
import type { Item, MediaFile, Progress, ProgressRow } from '../api/models';
import { fitting } from './locator';
import type { KeyValueStore } from '../lib/env';
import { Outbox, type PendingWrite } from './outbox';

type Api = Pick<ApiClient, 'writeProgress' | 'now'>;
type Subject = Pick<MediaFile, 'id' | 'extent' | 'progress'>;

export interface ProgressUpdate {
  position: number;
  finished?: boolean;
  locator?: string | null;
  /** Relative position inside the section or page, 0 to 1. */
  within?: number | null;
}

/** A known position. The locator and the position in the section are omitted if only the server knows them. */
export type LocalProgress = Progress & { locator?: string | null; within?: number | null };

/** A position without the values that depend on the length of its file. */
type StoredProgress = Omit<LocalProgress, 'extent' | 'fraction'>;

const PAUSE = 5000;
const RETRY = 30_000;
/** Keys of responses that contain progress, or are sorted or counted by it. */
const NOTIFY_DELAY = ['home', 'history', 'item', 'letters', 'search'] as const;

export class ProgressStore {
  /** Positions newer than the server's responses, by file. */
  #local = $state.raw<Readonly<Record<number, StoredProgress>>>({});
  readonly #outbox: Outbox;
  readonly #waiting = new Map<number, { write: PendingWrite; timer: number }>();
  readonly #sentAt = new Map<number, number>();
  #last = 0;
  #retry: number | undefined;
  /** Number of changes of the user. */
  #user = 0;

  constructor(
    private readonly api: Api,
    private readonly cache: Pick<QueryCache, 'expire' | 'markStale'>,
    store: KeyValueStore,
  ) {
    this.#outbox = new Outbox(store);
  }

  /** Listens for the end of the page and for the network. The returned function stops that. */
  start(): () => void {
    const leave = () => void this.settle({ keepalive: true });
    const hide = () => void (document.visibilityState === 'hidden' && leave());
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

  /** Switches to another user, or to none. */
  setUser(user: number | null): void {
    this.#user += 1;
    for (const { timer } of this.#waiting.values()) clearTimeout(timer);
    clearTimeout(this.#retry);
    this.#waiting.clear();
    this.#sentAt.clear();
    this.#outbox.open(user);
    this.#local = Object.fromEntries(this.#outbox.all.map((write) => [write.file_id, asProgress(write)]));
  }

  /** Returns the latest known position in a file. */
  of(file: Subject): LocalProgress | null {
    const local = this.#local[file.id];
    if (!local || (file.progress && file.progress.updated_at > local.updated_at)) return file.progress;
    // A stored write has no length: the file adds it.
    const { extent } = file;
    const share = extent ? local.position / extent : null;
    return { ...local, extent, fraction: local.finished ? 1 : share };
  }

  /** Returns the position to continue at: the start for finished and new files. */
  resume(file: Subject): number {
    const place = this.of(file);
    return place && !place.finished ? place.position : 0;
  }

  /** Records a position that a player reports. */
  note(item: Pick<Item, 'id'>, file: Subject, reached: ProgressUpdate): void {
    if (!Number.isFinite(reached.position)) return; // not a position
    const locator = reached.locator === undefined ? undefined : fitting(reached.locator);
    const whole = Math.max(0, Math.floor(reached.position));
    const position = file.extent === null ? whole : Math.min(whole, file.extent);
    const finished = reached.finished ?? false;
    const before: Pick<LocalProgress, 'position' | 'finished' | 'locator'> | null =
      this.#waiting.get(file.id)?.write ?? this.of(file);
    const elsewhere = locator !== undefined && locator !== before?.locator;
    if (before && before.position === position && before.finished === finished && !elsewhere) return;
    const write: PendingWrite = {
      item_id: item.id,
      file_id: file.id,
      position,
      finished,
      recorded_at: this.#moment(),
      ...(locator === undefined ? {} : { locator }),
      ...(reached.within == null ? {} : { within: reached.within }),
    };
    this.#local = { ...this.#local, [file.id]: asProgress(write) };
    this.#wait(write);
  }

  /** Sends all delayed positions. Resolves when the server has confirmed them, or did not answer. */
  async settle({ keepalive = false } = {}): Promise<void> {
    const sent = [...this.#waiting.values()].map(async ({ write, timer }) => {
      clearTimeout(timer);
      this.#waiting.delete(write.file_id);
      if (await this.#send(write, keepalive)) this.#tell();
    });
    await Promise.all(sent);
  }

  /**
   * Returns a function that is true while the same user is signed in. A response belongs to the user who requested it.
   */
  userCheck(): () => boolean {
    const sitting = this.#user;
    return () => sitting === this.#user;
  }

  /** Stores the position from a response, and drops pending ones. */
  take(row: ProgressRow): void {
    this.#drop(row.file_id);
    this.#local = { ...this.#local, [row.file_id]: row };
    this.#tell();
  }

  /** Drops all known and pending positions of an item, or only those in its given files. */
  drop(item: Pick<Item, 'id' | 'files'>, files?: readonly Pick<MediaFile, 'id'>[]): void {
    const local = { ...this.#local };
    for (const file of files ?? item.files) {
      this.#drop(file.id);
      delete local[file.id];
    }
    if (!files) this.#outbox.forget(item.id);
    this.#local = local;
    this.#tell();
  }

  /** Retries undelivered positions, oldest first, until one fails. */
  async flush(): Promise<void> {
    clearTimeout(this.#retry);
    let some = false;
    for (const write of this.#outbox.all) {
      // Removed meanwhile, replaced by a newer one, or of the previous user.
      if (this.#outbox.of(write.file_id) !== write) continue;
      if (!(await this.#send(write, false))) break;
      some = true;
    }
    if (some) this.#tell();
  }

  #wait(write: PendingWrite): void {
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
        if (due) void this.#send(due.write, false).then((arrived) => arrived && this.#notify());
      },
      Math.max(0, PAUSE - since),
    );
    this.#waiting.set(write.file_id, { write, timer });
  }

  /** Returns true after delivery or a permanent rejection, if the sender is still signed in. */
  async #send(write: PendingWrite, keepalive: boolean): Promise<boolean> {
    this.#outbox.put(write);
    this.#sentAt.set(write.file_id, Date.now());
    const { owner } = this.#outbox;
    const sits = this.userCheck();
    const { item_id, ...body } = write;
    try {
      await this.api.writeProgress(item_id, body, keepalive);
    } catch (error) {
      if (!isFinal(error)) {
        if (!sits()) return false; // stays stored, and is sent when its user signs in again
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

  /** Invalidates responses that contain progress. */
  #tell(): void {
    for (const prefix of NOTIFY_DELAY) this.cache.expire(prefix);
  }

  /** Like the above, but visible responses stay: every few seconds would be too often. */
  #notify(): void {
    for (const prefix of NOTIFY_DELAY) this.cache.markStale(prefix);
  }

  /** Returns a strictly increasing timestamp, because the server keeps the later of two positions. */
  #moment(): string {
    this.#last = Math.max(this.api.now(), this.#last + 1);
    return new Date(this.#last).toISOString().replace('Z', '000Z');
  }
}

function asProgress(write: PendingWrite): StoredProgress {
  return {
    file_id: write.file_id,
    position: write.position,
    finished: write.finished,
    updated_at: write.recorded_at,
    ...(write.locator === undefined ? {} : { locator: write.locator }),
    ...(write.within === undefined ? {} : { within: write.within }),
  };
}
