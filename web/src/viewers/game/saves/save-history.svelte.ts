/** The earlier contents of a game's slots, one slot at a time, with their pictures. */
import type { ApiClient } from '../../../api/client';
import type { Item } from '../../../api/models';
import { gunzip } from './gzip';
import { readSave, saves } from './requests';
import { AUTO, BATTERY, pictureOf, SLOTS, type SaveSlots } from './slots.svelte';
import { exportedSave, versionsOf, type Version } from './versions';

const ORDER: readonly string[] = [...SLOTS, AUTO, BATTERY];

/** Returns the rank of a slot. Unknown slots are last. */
const rankOf = (name: string) => (ORDER.indexOf(name) + ORDER.length + 1) % (ORDER.length + 1);

export class SaveHistory {
  /** The slots with content; null until they are loaded. */
  names = $state.raw<readonly string[] | null>(null);
  slot = $state('');
  /** The contents of the selected slot, newest first; null until they are loaded. */
  versions = $state.raw<readonly Version[] | null>(null);
  failure = $state.raw<unknown>();
  #pictures = $state.raw<Readonly<Record<string, string>>>({});
  readonly #closed = new AbortController();

  /** `isRunning` is true if a running game has opened the slots. */
  constructor(
    private readonly api: ApiClient,
    private readonly item: Pick<Item, 'id' | 'title'>,
    private readonly slots: SaveSlots,
    private readonly isRunning: boolean,
    slot = '',
  ) {
    this.slot = slot;
  }

  async load(): Promise<void> {
    this.failure = undefined;
    const { signal } = this.#closed;
    try {
      if (!this.isRunning) {
        // Opening the slots ignores an unreachable server; report it here.
        await saves(this.api, this.item.id, signal);
        await this.slots.open(signal);
      }
      this.names = this.slots.names.toSorted((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
      if (!this.names.includes(this.slot)) this.slot = this.names[0] ?? '';
      await this.list();
    } catch (error) {
      if (!signal.aborted) this.failure = error ?? true;
    }
  }

  async choose(slot: string): Promise<void> {
    this.slot = slot;
    this.versions = null;
    await this.list();
  }

  /** Fetches the versions of the selected slot. */
  async list(): Promise<void> {
    const { slot } = this;
    const { signal } = this.#closed;
    this.failure = undefined;
    if (slot === '') return;
    try {
      const found = await versionsOf(this.api, this.item.id, this.slots, slot, signal);
      // The user can have chosen another slot meanwhile.
      if (slot !== this.slot) return;
      this.versions = found;
      for (const version of found) void this.#show(slot, version);
    } catch (error) {
      if (!signal.aborted && slot === this.slot) this.failure = error ?? true;
    }
  }

  /** Returns the address of the picture of a version of the selected slot. */
  pictureOf(version: Version): string | undefined {
    return this.#pictures[keyOf(this.slot, version)];
  }

  /** Restores an earlier version of a slot. */
  async restore(slot: string, { n, core, picture }: Version): Promise<void> {
    if (n === null) return;
    await this.slots.restore(slot, { n, core });
    // The picture is optional: the state is restored without it, too.
    if (typeof picture === 'number')
      await this.slots.restore(pictureOf(slot), { n: picture, core }).catch(() => {});
  }

  /** Returns the content of a version of the selected slot as a file for other programs. */
  download(version: Version): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }> {
    return exportedSave(this.api, this.item, this.slots, this.slot, version);
  }

  close(): void {
    this.#closed.abort();
    for (const url of Object.values(this.#pictures)) URL.revokeObjectURL(url);
  }

  /** Fetches the picture of a version. A missing picture leaves its place empty. */
  async #show(slot: string, version: Version): Promise<void> {
    const key = keyOf(slot, version);
    if (version.picture === undefined || this.#pictures[key]) return;
    const name = pictureOf(slot);
    const read =
      version.picture === null
        ? this.slots.read(name)
        : readSave(this.api, this.item.id, name, version.picture).then((packed) => gunzip(packed));
    const picture = await read.catch(() => null);
    if (!picture || this.#closed.signal.aborted || this.#pictures[key]) return;
    const url = URL.createObjectURL(new Blob([picture], { type: 'image/png' }));
    this.#pictures = { ...this.#pictures, [key]: url };
  }
}

const keyOf = (slot: string, { at }: Version) => `${slot} ${at}`;
