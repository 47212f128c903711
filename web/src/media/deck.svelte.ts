/** The player as the first page has it: what plays is fetched at the first sound, and heard by everyone from then on. */
import type { Component } from 'svelte';
import type { Item, MediaFile } from '../api/types';
import type { Player } from './player.svelte';

type Elements = readonly [HTMLAudioElement, HTMLAudioElement];
type Dock = Component<{ player: Player; hidden: boolean; onclose: () => void }>;
type Load = () => Promise<{ Dock: Dock; start: (elements: Elements) => Player }>;
type Act = (player: Player) => void;

export class Deck {
  player = $state.raw<Player | null>(null);
  dock = $state.raw<Dock | null>(null);
  /** Called where the player does not come. */
  onfailed: () => void = () => {};
  /** What the player shall do once it is here. */
  #waiting: Act[] = [];

  constructor(private readonly load: Load) {}

  /** Plays a file from `from` seconds, or from where it was left. */
  play(item: Item, file: MediaFile, from?: number): void {
    this.#waiting = [];
    this.with((player) => player.play(item, file, from));
  }

  /** Has the player do something, and fetches it first where there is none yet. */
  with(act: Act): void {
    if (this.player) return act(this.player);
    const waiting = this.#waiting;
    if (waiting.push(act) > 1) return;
    // Made and touched by the click itself: some browsers let only such elements sound later.
    const elements: Elements = [new Audio(), new Audio()];
    for (const element of elements) element.load();
    this.load().then(
      ({ start, Dock }) => {
        if (waiting !== this.#waiting) return;
        this.#waiting = [];
        document.body.append(...elements);
        this.dock = Dock;
        const player = start(elements);
        this.player = player;
        for (const one of waiting) one(player);
      },
      () => {
        this.#waiting = [];
        this.onfailed();
      },
    );
  }

  pause(): void {
    this.#waiting = [];
    this.player?.pause();
  }

  close(): void {
    this.#waiting = [];
    this.player?.close();
    this.player = null;
  }
}
