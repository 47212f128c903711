/** The player as the first page has it: what plays is fetched at the first sound, and heard by everyone from then on. */
import type { Component } from 'svelte';
import type { Item, MediaFile } from '../api/types';
import type { Player } from './player.svelte';

type Elements = readonly [HTMLAudioElement, HTMLAudioElement];
type Dock = Component<{ player: Player; hidden: boolean; onclose: () => void }>;
type Load = () => Promise<{ Dock: Dock; start: (elements: Elements) => Player }>;
/** Something for the player to do; `isWanted` tells whether sound still is, which a pause ends. */
type Act = (player: Player, isWanted: () => boolean) => void;
type Due = (player: Player) => void;

export class Deck {
  player = $state.raw<Player | null>(null);
  dock = $state.raw<Dock | null>(null);
  /** Called where the player does not come. */
  onfailed: () => void = () => {};
  /** What the player shall play once it is here, and what it shall do then. */
  #first: Due | null = null;
  #waiting: Due[] = [];
  #coming: object | null = null;
  #pauses = 0;

  constructor(private readonly load: Load) {}

  /** Plays a file from `from` seconds, or from where it was left. */
  play(item: Item, file: MediaFile, from?: number): void {
    const act: Due = (player) => player.play(item, file, from);
    if (this.player) return act(this.player);
    this.#first = act;
    this.#fetch();
  }

  /** Has the player do something, and fetches it first where there is none yet. */
  with(act: Act): void {
    const pauses = this.#pauses;
    const due: Due = (player) => act(player, () => pauses === this.#pauses);
    if (this.player) return due(this.player);
    this.#waiting.push(due);
    this.#fetch();
  }

  #fetch(): void {
    if (this.#coming) return;
    const coming = (this.#coming = {});
    // Made and touched by the click itself: some browsers let only such elements sound later.
    const elements: Elements = [new Audio(), new Audio()];
    for (const element of elements) element.load();
    this.load().then(
      ({ start, Dock }) => {
        if (coming !== this.#coming) return;
        const all = [this.#first ?? [], this.#waiting].flat();
        this.#forget();
        if (all.length === 0) return;
        document.body.append(...elements);
        this.dock = Dock;
        const player = start(elements);
        this.player = player;
        for (const one of all) one(player);
      },
      () => {
        if (coming !== this.#coming) return;
        this.#forget();
        this.onfailed();
      },
    );
  }

  #forget(): void {
    this.#first = this.#coming = null;
    this.#waiting = [];
  }

  /** Nothing sounds; what was queued stays so. */
  pause(): void {
    this.#pauses += 1;
    this.#first = null;
    this.player?.pause();
  }

  close(): void {
    this.#forget();
    this.player?.close();
    this.player = null;
  }
}
