/** The pictures of a game's slots: each is fetched once, and revoked when another replaces it. */
import { pictureOf, type SaveSlots } from './slots.svelte';

/** A slot's picture is saved right after it. A larger difference means the picture of an earlier save. */
const LATER = 60_000;

export class SlotPictures {
  /** Addresses by slot. A picture stays until its replacement is fetched. */
  #urls = $state.raw<Readonly<Record<string, string>>>({});
  /** The marks of the pictures that were fetched or requested, by slot. */
  readonly #marks = new Map<string, string>();
  #closed = false;

  constructor(private readonly slots: Pick<SaveSlots, 'slot' | 'read'>) {}

  /** Returns the address of a slot's picture; null without a matching one. */
  of(slot: string): string | null {
    const [saved, picture] = [this.slots.slot(slot), this.slots.slot(pictureOf(slot))];
    if (!saved || !picture || Date.parse(saved.at) - Date.parse(picture.at) > LATER) return null;
    return this.#urls[slot] ?? null;
  }

  /** Fetches the current pictures of these slots. Call it again after they changed. */
  follow(slots: readonly string[]): void {
    for (const slot of slots) {
      const picture = this.slots.slot(pictureOf(slot));
      if (!picture || this.#marks.get(slot) === picture.mark) continue;
      this.#marks.set(slot, picture.mark);
      this.slots.read(pictureOf(slot)).then(
        (bytes) => bytes && this.#marks.get(slot) === picture.mark && this.put(slot, bytes),
        () => {}, // the picture is optional
      );
    }
  }

  /** Stores a picture that was just saved, so that it need not be fetched. */
  put(slot: string, bytes: Uint8Array<ArrayBuffer>): void {
    const mark = this.slots.slot(pictureOf(slot))?.mark;
    if (mark === undefined || this.#closed) return;
    const url = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
    const before = this.#urls[slot];
    this.#marks.set(slot, mark);
    this.#urls = { ...this.#urls, [slot]: url };
    if (before) URL.revokeObjectURL(before);
  }

  /** A closing game needs no pictures any more. */
  close(): void {
    this.#closed = true;
    for (const url of Object.values(this.#urls)) URL.revokeObjectURL(url);
    this.#urls = {};
  }
}
