/** The slots of one game: what is on the server, what waits to get there, and the way between. */
import { ApiError, Unreachable, type ApiClient } from '../../api/client';
import { forget, keep, keptSaves, type KeptSave } from './kept';
import { pack, unpack } from './pack';
import { SAVE_LIMIT, readSave, saves, writeSave, type Save } from './remote';

export const SLOTS = ['1', '2', '3', '4', '5'] as const;
/** Where the game was left. */
export const AUTO = 'auto';
/** The memory of the cartridge's battery. */
export const BATTERY = 'sram';

export const pictureOf = (slot: string) => `${slot}-png`;

export class TooLarge extends Error {}

export interface Slot {
  name: string;
  at: string;
  core: string | null;
  /** Changes when the slot does. */
  mark: string;
  waiting: boolean;
}

export class SlotShelf {
  #saves = $state.raw<Readonly<Record<string, Save>>>({});
  #kept = $state.raw<Readonly<Record<string, KeptSave>>>({});
  #lastRow: Promise<unknown> = Promise.resolve();

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
    if (kept) return { name, at: kept.at, core: kept.core, mark: kept.at, waiting: true };
    const save = this.#saves[name];
    return save ? { name, at: save.updated_at, core: save.core, mark: save.sha256, waiting: false } : null;
  }

  async read(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
    const kept = this.#kept[name];
    if (kept) return unpack(kept.bytes);
    if (!this.#saves[name]) return null;
    return unpack(await readSave(this.api, this.item, name));
  }

  /** Saves; tells whether it is on the server. One after the other: the second must know what the first left. */
  write(name: string, bytes: Uint8Array<ArrayBuffer>, core: string, insist = false): Promise<boolean> {
    const done = this.#lastRow.then(() => this.#write(name, bytes, core, insist));
    this.#lastRow = done.catch(() => {});
    return done;
  }

  /** Sends what waits; what another device saved since is put back on top, and ours stays among its versions. */
  async flush(): Promise<void> {
    for (const kept of Object.values(this.#kept)) {
      try {
        await this.#send(kept);
      } catch (error) {
        if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 500)) return;
        if (error instanceof ApiError && [401, 429].includes(error.status)) return;
        await this.#drop(kept);
      }
    }
  }

  async #write(
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    core: string,
    insist: boolean,
  ): Promise<boolean> {
    const packed = await pack(bytes);
    if (packed.length > SAVE_LIMIT) throw new TooLarge();
    const over = this.#saves[name]?.sha256 ?? null;
    const kept: KeptSave = {
      user: this.user,
      item: this.item,
      slot: name,
      core,
      bytes: packed,
      over,
      at: new Date(this.api.now()).toISOString(),
    };
    try {
      await this.#put(kept);
      return true;
    } catch (error) {
      if (error instanceof Unreachable || (error instanceof ApiError && error.status >= 500)) {
        await keep(kept);
        this.#kept = { ...this.#kept, [name]: kept };
        return false;
      }
      if (error instanceof ApiError && error.status === 413) throw new TooLarge();
      if (error instanceof ApiError && error.status === 412) {
        await this.#refresh();
        if (insist) {
          await this.#put({ ...kept, over: this.#saves[name]?.sha256 ?? null });
          return true;
        }
      }
      throw error;
    }
  }

  async #send(kept: KeptSave): Promise<void> {
    try {
      await this.#put(kept);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      await this.#refresh();
      const theirs = this.#saves[kept.slot];
      const newer = theirs && theirs.updated_at > kept.at;
      const bytes = newer ? await readSave(this.api, this.item, kept.slot) : null;
      const ours = await this.#put({ ...kept, over: theirs?.sha256 ?? null });
      if (bytes) await this.#put({ ...kept, bytes, core: theirs?.core ?? kept.core, over: ours.sha256 });
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
