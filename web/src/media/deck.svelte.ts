/** The player as the first page has it: what plays is fetched at the first sound, and heard by everyone from then on. */
import type { Component } from 'svelte';
import type { Item, MediaFile } from '../api/types';
import type { Player } from './player.svelte';

type Elements = readonly [HTMLAudioElement, HTMLAudioElement];
type Dock = Component<{ player: Player; hidden: boolean; onclose: () => void }>;
type Load = () => Promise<{ Dock: Dock; start: (elements: Elements) => Player }>;

export class Deck {
  player = $state.raw<Player | null>(null);
  dock = $state.raw<Dock | null>(null);
  /** Called where the player does not come. */
  onfailed: () => void = () => {};
  #asked = 0;

  constructor(private readonly load: Load) {}

  /** Plays a file from `from` seconds, or from where it was left. */
  play(item: Item, file: MediaFile, from?: number): void {
    if (this.player) return this.player.play(item, file, from);
    // Made and touched by the click itself: some browsers let only such elements sound later.
    const elements: Elements = [new Audio(), new Audio()];
    for (const element of elements) element.load();
    const asked = ++this.#asked;
    this.load().then(
      ({ start, Dock }) => {
        if (asked !== this.#asked) return;
        document.body.append(...elements);
        this.dock = Dock;
        this.player = start(elements);
        this.player.play(item, file, from);
      },
      () => this.onfailed(),
    );
  }

  pause(): void {
    this.#asked += 1;
    this.player?.pause();
  }

  close(): void {
    this.#asked += 1;
    this.player?.close();
    this.player = null;
  }
}
