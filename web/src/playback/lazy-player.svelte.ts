/** The part of the player in the first page. It loads the player at the first playback. */
import type { Component } from 'svelte';
import type { Item, MediaFile } from '../api/models';
import type { Player } from './player.svelte';

type Elements = readonly [HTMLAudioElement, HTMLAudioElement];
type Dock = Component<{ player: Player; hidden: boolean; onclose: () => void }>;
type Load = () => Promise<{ Dock: Dock; start: (elements: Elements) => Player }>;
/** A call to the player. `isWanted` is false after a pause. */
type PlayerCall = (player: Player, isWanted: () => boolean) => void;
/** Gets null and the error if the player does not load. */
type PendingCall = (player: Player | null, error?: unknown) => void;

export class LazyPlayer {
  player = $state.raw<Player | null>(null);
  dock = $state.raw<Dock | null>(null);
  /** Called if the player does not load. */
  onfailed: () => void = () => {};
  /** The pending file, and the pending calls, until the player is loaded. */
  #first: PendingCall | null = null;
  #waiting: PendingCall[] = [];
  #coming: object | null = null;
  #pauses = 0;
  #turns = 0;

  constructor(private readonly load: Load) {}

  /** Plays a file from `from` seconds, or from its saved position. */
  play(item: Item, file: MediaFile, from?: number): void {
    this.takeTurn();
    const act: PendingCall = (player) => player?.play(item, file, from);
    if (this.player) return act(this.player);
    this.#first = act;
    this.#fetch();
  }

  /** Begins a request to play something else. The result is false after a later one. */
  takeTurn(): () => boolean {
    const turn = (this.#turns += 1);
    return () => turn === this.#turns;
  }

  /** Calls the player, and loads it first if necessary. `onfail` gets the error if it does not load. */
  with(act: PlayerCall, onfail?: (error: unknown) => void): void {
    const pauses = this.#pauses;
    const due: PendingCall = (player, error) =>
      player ? act(player, () => pauses === this.#pauses) : onfail?.(error);
    if (this.player) return due(this.player);
    this.#waiting.push(due);
    this.#fetch();
  }

  #fetch(): void {
    if (this.#coming) return;
    const coming = (this.#coming = {});
    // Create and touch the elements within the click: some browsers play only such elements later.
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
      (error: unknown) => {
        if (coming !== this.#coming) return;
        const waiting = this.#waiting;
        this.#forget();
        this.onfailed();
        for (const one of waiting) one(null, error);
      },
    );
  }

  #forget(): void {
    this.#first = this.#coming = null;
    this.#waiting = [];
  }

  /** Stops the playback; the queue stays. */
  pause(): void {
    this.#pauses += 1;
    this.#first = null;
    this.player?.pause();
  }

  /** The user closes the player: the queue ends, also on the server. */
  end(): void {
    void this.player?.server?.clear();
    this.close();
  }

  close(): void {
    this.#forget();
    this.player?.close();
    this.player = null;
  }
}
