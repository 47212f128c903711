/** The slots of one game: saves on the server, saves that wait, and their synchronization. */
import { ApiError, Unreachable, type ApiClient } from '../../../api/client';
import type { Save, SaveVersion } from '../../../api/models';
import { removeUnsent, storeUnsent, unsentSaves, OpenDatabase, type UnsentSave } from './unsent-saves';
import { gzip, gunzip } from './gzip';
import { KEEPALIVE_LIMIT, SAVE_LIMIT, readSave, saves, sendOnClose, writeSave } from './requests';
import { gzipSync } from './sync-gzip';

export const SLOTS = ['1', '2', '3', '4', '5'] as const;
/** The automatic state. */
export const AUTO = 'auto';
/** The battery memory of the cartridge. */
export const BATTERY = 'sram';

export const pictureOf = (slot: string) => `${slot}-png`;

/** Size in bytes up to which compression takes no noticeable time. */
const QUICK = 4 << 20;

export class TooLarge extends Error {}

export interface Slot {
  name: string;
  at: string;
  size: number;
  core: string | null;
  /** Changes when the slot does. */
  mark: string;
  waiting: boolean;
  /** True if the server rejects it permanently. */
  refused: boolean;
}

export class SaveSlots {
  #saves = $state.raw<Readonly<Record<string, Save>>>({});
  #kept = $state.raw<Readonly<Record<string, UnsentSave>>>({});
  #refused = $state.raw<ReadonlySet<string>>(new Set());
  #lastRow: Promise<unknown> = Promise.resolve();
  #ready: OpenDatabase | null = null;

  constructor(
    private readonly api: ApiClient,
    private readonly user: number,
    private readonly item: number,
  ) {}

  async open(signal: AbortSignal): Promise<void> {
    const kept = await unsentSaves(this.user, this.item);
    this.#kept = Object.fromEntries(kept.map((save) => [save.slot, save]));
    try {
      await this.#refresh(signal);
    } catch (error) {
      if (!(error instanceof Unreachable)) throw error;
    }
    await this.flush();
  }

  slot(name: string): Slot | null {
    const kept = this.#kept[name];
    if (kept) {
      const refused = this.#refused.has(name);
      const { at, core, bytes } = kept;
      return { name, at, size: bytes.length, core, mark: at, waiting: true, refused };
    }
    const save = this.#saves[name];
    if (!save) return null;
    const { updated_at: at, size, core, sha256: mark } = save;
    return { name, at, size, core, mark, waiting: false, refused: false };
  }

  /** Returns the slots with content, without those for pictures of others. */
  get names(): string[] {
    const all = [...new Set([...Object.keys(this.#saves), ...Object.keys(this.#kept)])];
    return all.filter((name) => !all.some((other) => name === pictureOf(other)));
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const kept = this.#kept[name];
    if (kept) return gunzip(kept.bytes);
    if (!this.#saves[name]) return null;
    return gunzip(await readSave(this.api, this.item, name));
  }

  /**
   * Saves one after the other, because a save needs the checksum of the previous one. Resolves to true if it is on the
   * server.
   */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, core: string, insist = false): Promise<boolean> {
    return this.#inLine(() => this.#write(name, bytes, core, insist));
  }

  /** Sends pending saves. A newer save of another device is restored on top, and ours stays among its versions. */
  flush(): Promise<void> {
    return this.#inLine(() => this.#flush());
  }

  /** Restores a version, if its slot did not change meanwhile. The present content becomes a version. */
  restore(name: string, version: Pick<SaveVersion, 'n' | 'core'>): Promise<void> {
    return this.#inLine(() => this.#restore(name, version));
  }

  /** Opens the database, so that it is ready for `leave`. */
  async openDatabase(): Promise<void> {
    this.#ready ??= await OpenDatabase.open();
  }

  /**
   * Saves while the page closes, without waiting, the most important first. All saves are stored on the device. Those
   * small enough for a request of a closing page are also sent to the server.
   */
  leave(core: string, saves: readonly { slot: string; bytes: Uint8Array<ArrayBuffer> }[]): void {
    let room = KEEPALIVE_LIMIT;
    for (const { slot, bytes } of saves) {
      const packed = bytes.length > QUICK ? bytes : gzipSync(bytes);
      this.#ready?.storeUnsent(this.#draft(slot, packed, core));
      if (packed.length > room) continue;
      room -= packed.length;
      sendOnClose(this.item, slot, packed, core);
    }
    this.close();
  }

  close(): void {
    this.#ready?.close();
    this.#ready = null;
  }

  #inLine<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastRow.then(work);
    this.#lastRow = done.catch(() => {});
    return done;
  }

  async #restore(name: string, { n, core }: Pick<SaveVersion, 'n' | 'core'>): Promise<void> {
    // A save that exists only on this device would be lost.
    const kept = this.#kept[name];
    if (kept) await this.#send(kept);
    const bytes = await readSave(this.api, this.item, name, n);
    try {
      await this.#put(this.#draft(name, bytes, core ?? ''));
    } catch (error) {
      if (isConflict(error)) await this.#refresh().catch(() => {});
      throw error;
    }
  }

  async #flush(): Promise<void> {
    for (const kept of Object.values(this.#kept)) {
      try {
        await this.#send(kept);
      } catch (error) {
        if (!isRefusal(error)) return;
        this.#refused = new Set([...this.#refused, kept.slot]);
      }
    }
  }

  #draft(slot: string, bytes: Uint8Array<ArrayBuffer>, core: string): UnsentSave {
    const at = new Date(this.api.now()).toISOString();
    const over = this.#saves[slot]?.sha256 ?? null;
    return { user: this.user, item: this.item, slot, core, bytes, over, at };
  }

  async #write(
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    core: string,
    insist: boolean,
  ): Promise<boolean> {
    const packed = await gzip(bytes);
    if (packed.length > SAVE_LIMIT) throw new TooLarge();
    const kept = this.#draft(name, packed, core);
    try {
      await (insist ? this.#insist(kept) : this.#put(kept));
      return true;
    } catch (error) {
      const status = error instanceof ApiError ? error.status : null;
      if (status === 413) throw new TooLarge();
      if (status === 412 && !insist) {
        await this.#refresh().catch(() => {});
        throw error;
      }
      // Store it on the device after any error.
      await storeUnsent(kept).catch(() => {
        throw error;
      });
      this.#kept = { ...this.#kept, [name]: kept };
      this.#refused = new Set([...this.#refused].filter((slot) => slot !== name));
      return false;
    }
  }

  /** Saves it, also over a save of another device. */
  async #insist(kept: UnsentSave): Promise<Save> {
    try {
      return await this.#put(kept);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await this.#refresh();
      return this.#put({ ...kept, over: this.#saves[kept.slot]?.sha256 ?? null });
    }
  }

  async #send(kept: UnsentSave): Promise<void> {
    try {
      await this.#put(kept);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await this.#refresh();
      const theirs = this.#saves[kept.slot];
      const newer = theirs && theirs.updated_at > kept.at;
      const alike = theirs?.size === kept.bytes.length;
      const bytes = newer || alike ? await readSave(this.api, this.item, kept.slot) : null;
      // A closed page can have sent it already.
      if (bytes && isSame(bytes, kept.bytes)) return this.#drop(kept);
      const ours = await this.#put({ ...kept, over: theirs?.sha256 ?? null });
      if (bytes && newer)
        await this.#put({ ...kept, bytes, core: theirs?.core ?? kept.core, over: ours.sha256 });
    }
    await this.#drop(kept);
  }

  async #put({ slot, bytes, core, over }: UnsentSave): Promise<Save> {
    const save = await writeSave(this.api, this.item, slot, { bytes, core, over });
    this.#saves = { ...this.#saves, [slot]: save };
    if (this.#kept[slot]) await this.#drop(this.#kept[slot]);
    return save;
  }

  async #drop(kept: UnsentSave): Promise<void> {
    const others = Object.fromEntries(Object.entries(this.#kept).filter(([slot]) => slot !== kept.slot));
    this.#kept = others;
    await removeUnsent(kept).catch(() => {});
  }

  async #refresh(signal?: AbortSignal): Promise<void> {
    const { items } = await saves(this.api, this.item, signal);
    this.#saves = Object.fromEntries(items.map((save) => [save.slot, save]));
  }
}

const isConflict = (error: unknown) => error instanceof ApiError && error.status === 412;

/** Returns true for a permanent rejection, unlike an unreachable or busy server or an expired session. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && ![401, 408, 429].includes(error.status);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
