/** The pictures of a game's slots: each is fetched once, and given back when another takes its place. */
import { untrack } from 'svelte';
import { pictureOf, type SlotShelf } from './shelf.svelte';

/** A slot's picture is saved right after it; one that is older by more than this is that of a former save. */
const LATER = 60_000;

interface Shown {
  mark: string;
  /** Null while it is fetched, and where it did not come. */
  url: string | null;
}

export class Pictures {
  #shown = $state.raw<Readonly<Record<string, Shown>>>({});
  #closed = false;

  constructor(private readonly shelf: Pick<SlotShelf, 'slot' | 'read'>) {}

  /** The address of a slot's picture; null where there is none that fits. */
  of(slot: string): string | null {
    const [saved, picture] = [this.shelf.slot(slot), this.shelf.slot(pictureOf(slot))];
    if (!saved || !picture || Date.parse(saved.at) - Date.parse(picture.at) > LATER) return null;
    return this.#shown[slot]?.url ?? null;
  }

  /** Fetches what these slots show by now; call it again when they have changed. */
  follow(slots: readonly string[]): void {
    for (const slot of slots) {
      const picture = this.shelf.slot(pictureOf(slot));
      if (!picture) continue;
      untrack(() => {
        if (this.#shown[slot]?.mark === picture.mark) return;
        this.#show(slot, picture.mark, this.#shown[slot]?.url ?? null);
        this.shelf.read(pictureOf(slot)).then(
          (bytes) => bytes && this.#shown[slot]?.mark === picture.mark && this.put(slot, bytes),
          () => {}, // a slot without its picture is still a slot
        );
      });
    }
  }

  /** A picture that was just saved need not be fetched. */
  put(slot: string, bytes: Uint8Array<ArrayBuffer>): void {
    const mark = this.shelf.slot(pictureOf(slot))?.mark;
    if (mark === undefined || this.#closed) return;
    const url = URL.createObjectURL(new Blob([bytes], { type: 'image/png' }));
    const before = this.#shown[slot]?.url;
    this.#show(slot, mark, url);
    if (before) URL.revokeObjectURL(before);
  }

  /** What is saved as the game is left needs no picture here any more. */
  close(): void {
    this.#closed = true;
    for (const { url } of Object.values(this.#shown)) if (url) URL.revokeObjectURL(url);
    this.#shown = {};
  }

  #show(slot: string, mark: string, url: string | null): void {
    this.#shown = { ...this.#shown, [slot]: { mark, url } };
  }
}
