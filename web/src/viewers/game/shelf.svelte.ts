/** The slots of one game: what is on the server, what waits to get there, and the way between. */
import { ApiError, Unreachable, type ApiClient } from '../../api/client';
import { forget, keep, keptSaves, StandBy, type KeptSave } from './kept';
import { pack, unpack } from './pack';
import {
  LAST_BREATH,
  SAVE_LIMIT,
  readSave,
  saves,
  sendOff,
  writeSave,
  type Save,
  type SaveVersion,
} from './remote';
import { squeeze } from './squeeze';

export const SLOTS = ['1', '2', '3', '4', '5'] as const;
/** Where the game was left. */
export const AUTO = 'auto';
/** The memory of the cartridge's battery. */
export const BATTERY = 'sram';

export const pictureOf = (slot: string) => `${slot}-png`;

/** Bytes that are packed in an instant. */
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
  /** Whether it waits in vain: the server does not take it. */
  refused: boolean;
}

export class SlotShelf {
  #saves = $state.raw<Readonly<Record<string, Save>>>({});
  #kept = $state.raw<Readonly<Record<string, KeptSave>>>({});
  #refused = $state.raw<ReadonlySet<string>>(new Set());
  #lastRow: Promise<unknown> = Promise.resolve();
  #ready: StandBy | null = null;

  constructor(
    private readonly api: ApiClient,
    private readonly user: number,
    private readonly item: number,
  ) {}

  async open(signal: AbortSignal): Promise<void> {
    const kept = await keptSaves(this.user, this.item);
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

  /** The slots that hold something, without those that are another's picture. */
  get names(): string[] {
    const all = [...new Set([...Object.keys(this.#saves), ...Object.keys(this.#kept)])];
    return all.filter((name) => !all.some((other) => name === pictureOf(other)));
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const kept = this.#kept[name];
    if (kept) return unpack(kept.bytes);
    if (!this.#saves[name]) return null;
    return unpack(await readSave(this.api, this.item, name));
  }

  /** Saves; tells whether it is on the server. One after the other: the second must know what the first left. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, core: string, insist = false): Promise<boolean> {
    return this.#inLine(() => this.#write(name, bytes, core, insist));
  }

  /** Sends what waits; what another device saved since is put back on top, and ours stays among its versions. */
  flush(): Promise<void> {
    return this.#inLine(() => this.#flush());
  }

  /** Puts a version back into its slot, if that still is as it is known here; what is in it becomes a version. */
  restore(name: string, version: Pick<SaveVersion, 'n' | 'core'>): Promise<void> {
    return this.#inLine(() => this.#restore(name, version));
  }

  /** Opens the device's own store, so that `leave` finds it open. */
  async standBy(): Promise<void> {
    this.#ready ??= await StandBy.open();
  }

  /**
   * Saves while the page goes away and nothing can be waited for, the most precious first: on the device at once, and on
   * the server what is small enough for a browser to send it then.
   */
  leave(core: string, saves: readonly { slot: string; bytes: Uint8Array<ArrayBuffer> }[]): void {
    let room = LAST_BREATH;
    for (const { slot, bytes } of saves) {
      const packed = bytes.length > QUICK ? bytes : squeeze(bytes);
      this.#ready?.keep(this.#draft(slot, packed, core));
      if (packed.length > room) continue;
      room -= packed.length;
      sendOff(this.item, slot, packed, core);
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
    // What only this device has would be lost otherwise.
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

  #draft(slot: string, bytes: Uint8Array<ArrayBuffer>, core: string): KeptSave {
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
    const packed = await pack(bytes);
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
      // Whatever the server says: the device is there to keep it.
      await keep(kept).catch(() => {
        throw error;
      });
      this.#kept = { ...this.#kept, [name]: kept };
      this.#refused = new Set([...this.#refused].filter((slot) => slot !== name));
      return false;
    }
  }

  /** Puts it over what another device saved, too. */
  async #insist(kept: KeptSave): Promise<Save> {
    try {
      return await this.#put(kept);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await this.#refresh();
      return this.#put({ ...kept, over: this.#saves[kept.slot]?.sha256 ?? null });
    }
  }

  async #send(kept: KeptSave): Promise<void> {
    try {
      await this.#put(kept);
    } catch (error) {
      if (!isConflict(error)) throw error;
      await this.#refresh();
      const theirs = this.#saves[kept.slot];
      const newer = theirs && theirs.updated_at > kept.at;
      const alike = theirs?.size === kept.bytes.length;
      const bytes = newer || alike ? await readSave(this.api, this.item, kept.slot) : null;
      // A page that went away may have sent it already.
      if (bytes && isSame(bytes, kept.bytes)) return this.#drop(kept);
      const ours = await this.#put({ ...kept, over: theirs?.sha256 ?? null });
      if (bytes && newer)
        await this.#put({ ...kept, bytes, core: theirs?.core ?? kept.core, over: ours.sha256 });
    }
    await this.#drop(kept);
  }

  async #put({ slot, bytes, core, over }: KeptSave): Promise<Save> {
    const save = await writeSave(this.api, this.item, slot, { bytes, core, over });
    this.#saves = { ...this.#saves, [slot]: save };
    if (this.#kept[slot]) await this.#drop(this.#kept[slot]);
    return save;
  }

  async #drop(kept: KeptSave): Promise<void> {
    const others = Object.fromEntries(Object.entries(this.#kept).filter(([slot]) => slot !== kept.slot));
    this.#kept = others;
    await forget(kept).catch(() => {});
  }

  async #refresh(signal?: AbortSignal): Promise<void> {
    const { items } = await saves(this.api, this.item, signal);
    this.#saves = Object.fromEntries(items.map((save) => [save.slot, save]));
  }
}

const isConflict = (error: unknown) => error instanceof ApiError && error.status === 412;

/** Whether the server does not take it and never will; not that it is away, busy, or wants one to log in. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && ![401, 408, 429].includes(error.status);
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
