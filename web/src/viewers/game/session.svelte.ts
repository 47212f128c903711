/** A running game: loads it from the server into the frame, and saves its states. */
import { ApiError, type ApiClient } from '../../api/client';
import type { Core, Item, MediaFile, Platform } from '../../api/models';
import { Battery } from './saves/battery';
import { Host, type HostEvents } from './frame/host';
import { signal, type Button } from './input/retropad';
import { extensionOf, gameIn } from './saves/gzip';
import { SlotPictures } from './saves/pictures.svelte';
import { hasWebGl2, missingBios } from './requirements';
import { ProgressTimeout } from './progress-timeout';
import { cores, download, platforms } from './saves/requests';
import { AUTO, BATTERY, pictureOf, SaveSlots, TooLarge } from './saves/slots.svelte';
import type { GameFile } from './frame/messages';

export type Phase =
  | { name: 'loading'; share: number | null }
  | { name: 'starting' }
  | { name: 'running' }
  | { name: 'paused' }
  | { name: 'webgl' }
  | { name: 'no core' }
  | { name: 'core missing'; core: string }
  | { name: 'bios'; names: string[] }
  | { name: 'stalled' }
  | { name: 'failed'; error: unknown };

export type Note =
  'saving' | 'saved' | 'saved here' | 'loaded' | 'too large' | 'conflict' | 'cannot save' | 'cannot load';

/** Returns true for a note about a failure. */
export const isWarning = (note: Note | null): boolean =>
  note !== null && !['saving', 'saved', 'loaded', 'saved here'].includes(note);

/** Milliseconds for which a note about a success is shown. */
const NOTE_TIME = 3000;
/** Intervals of automatic saves and of checks of the battery memory. */
const EVERY = 60_000;
const LOOK = 3000;
/** Timeouts for a picture: for a save, and before a pause. */
const ANSWER_TIMEOUT = 2000;
const AT_PAUSE = 250;
/** Inactivity timeout for the start of a game, longer than the spin-up of a disk. */
const STALL_TIMEOUT = 60_000;
/** Inactivity timeout for the compilation of the core, which reports no progress and is slow on weak devices. */
const COMPILING = 180_000;
/** Extensions of files that belong to a disc image. */
const LISTS: readonly string[] = ['cue', 'm3u', 'ccd'];

interface Given {
  api: ApiClient;
  user: number;
  item: Item;
  file: MediaFile;
  /** True to start over instead of continuing. */
  startOver: boolean;
  volume: number;
  onkey: (code: string, down: boolean) => unknown;
}

interface Held {
  player: number;
  button: Button;
}

export class GameSession {
  phase = $state.raw<Phase>({ name: 'loading', share: null });
  #note = $state.raw<Note | null>(null);
  #noteTimer: ReturnType<typeof setTimeout> | undefined;
  platform = $state.raw<Platform | null>(null);
  core = $state.raw<Core | null>(null);
  readonly slots: SaveSlots;
  readonly pictures: SlotPictures;

  #frame: HTMLIFrameElement | null = null;
  #host: Host | null = null;
  #window: (Window & { ledgeGrab?: () => FinalSaves }) | null = null;
  #battery = new Battery(null);
  /** The screen at the time of the pause: a paused core renders none. */
  #pausedPicture: Uint8Array<ArrayBuffer> | null = null;
  /** Suspends automatic saves while a slot is restored. */
  #holdsBack = false;
  readonly #held = new Map<string, Held>();
  readonly #ended = new AbortController();
  #timers: number[] = [];

  get note(): Note | null {
    return this.#note;
  }
  /** A warning stays until the next note. */
  set note(note: Note | null) {
    clearTimeout(this.#noteTimer);
    this.#note = note;
    if (note !== null && note !== 'saving' && !isWarning(note))
      this.#noteTimer = setTimeout(() => (this.#note = null), NOTE_TIME);
  }

  constructor(private readonly given: Given) {
    this.slots = new SaveSlots(given.api, given.user, given.item.id);
    this.pictures = new SlotPictures(this.slots);
  }

  get isPaused(): boolean {
    return this.phase.name === 'paused';
  }

  get isOn(): boolean {
    return this.phase.name === 'running' || this.phase.name === 'paused';
  }

  /** True while the game owns the gamepads: not during a pause, nor after a failure. */
  get hasPads(): boolean {
    return this.phase.name === 'loading' || this.phase.name === 'starting' || this.phase.name === 'running';
  }

  async start(frame: HTMLIFrameElement): Promise<void> {
    this.#frame = frame;
    try {
      await this.#start(frame);
    } catch (error) {
      if (this.#ended.signal.aborted) return;
      this.phase = { name: 'failed', error };
      // Ignore pending operations after the end.
      this.#ended.abort();
      this.#blank();
    }
  }

  async #start(frame: HTMLIFrameElement): Promise<void> {
    if (!hasWebGl2()) return void (this.phase = { name: 'webgl' });
    const patience = new ProgressTimeout(STALL_TIMEOUT, this.#ended.signal, () => this.#stall());
    try {
      await this.#load(frame, (quiet) => patience.sign(quiet));
    } finally {
      patience.end();
    }
  }

  /** Inactivity timeout: no response, no data, no message from the frame. */
  #stall(): void {
    this.phase = { name: 'stalled' };
    this.#ended.abort();
    this.#blank();
  }

  /** Ends the game and hides it: a core that loads later must not be heard either. */
  #blank(): void {
    this.#stop();
    // A new `src` would add a step to the browser's history.
    this.#frame?.contentWindow?.location.replace('about:blank');
  }

  /** Starts the game. Each step calls `sign` with the timeout of the next one. */
  async #load(frame: HTMLIFrameElement, sign: (quiet?: number) => void): Promise<void> {
    const { api, item, file } = this.given;
    const { signal: ended } = this.#ended;
    const [known, able] = await Promise.all([platforms(api, ended), cores(api, ended)]);
    sign();
    this.platform = known.items.find(({ id }) => id === item.facts.platform) ?? null;
    const wanted = this.platform?.core;
    if (!this.platform || !wanted) return void (this.phase = { name: 'no core' });
    this.core = able.items.find(({ id }) => id === wanted) ?? null;
    const { script_url: script, wasm_url: wasmUrl, wasm_size: size } = this.core ?? {};
    if (!this.core || !script || !wasmUrl) return void (this.phase = { name: 'core missing', core: wanted });
    const wants = missingBios(this.core.bios, this.platform.id);
    if (wants.length > 0) return void (this.phase = { name: 'bios', names: wants });

    const total = (size ?? 0) + file.size;
    let [coreRead, gameRead] = [0, 0];
    const report = () => {
      sign();
      if (this.phase.name !== 'loading') return;
      this.phase = { name: 'loading', share: size ? Math.min(1, (coreRead + gameRead) / total) : null };
    };
    // Progress of downloads is reported in bytes, not as a timeout.
    const alive = () => sign();
    const [wasm, game, companions, bios, host] = await Promise.all([
      download(api, wasmUrl, ended, (read) => ((coreRead = read), report())),
      this.#game(file, (read) => ((gameRead = read), report())),
      this.#companions(alive),
      this.#bios(alive),
      Host.connect(frame, this.#events(), ended),
      this.slots.open(ended),
      this.slots.openDatabase(),
    ]);
    if (ended.aborted) return host.close();
    sign(COMPILING);
    this.phase = { name: 'starting' };
    this.#host = host;
    const battery = await this.slots.read(BATTERY);
    const left = this.given.startOver ? null : await this.#left();
    const { volume } = this.given;
    sign();
    await host.ask('start', { script, wasm: wasm.buffer, game, companions, bios, battery, volume });
    sign();
    if (left) await host.ask('load', left);
    if (ended.aborted) return;
    this.#battery = new Battery(battery);
    this.#window = frame.contentWindow;
    this.phase = { name: 'running' };
    this.#timers = [
      window.setInterval(() => void this.autosave(), EVERY),
      window.setInterval(() => void this.#watchBattery(), LOOK),
    ];
    if (document.hidden) await this.pause();
  }

  /** Returns the automatic state, if this core wrote it. */
  async #left(): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.loads(AUTO) ? this.slots.read(AUTO) : null;
  }

  /** Returns true if a slot contains a state of this core: the state of another core would do damage. */
  loads(slot: string): boolean {
    const there = this.slots.slot(slot);
    return there !== null && (there.core === null || there.core === this.core?.id);
  }

  async #game(file: MediaFile, onread: (bytes: number) => void): Promise<GameFile> {
    const bytes = await download(this.given.api, file.content_url, this.#ended.signal, onread);
    if (extensionOf(file.name) === 'zip') {
      const inside = await gameIn(bytes, this.platform?.extensions ?? []);
      if (inside) return inside;
    }
    return { name: file.name, bytes };
  }

  /** A list of tracks or discs needs the files that it names. */
  async #companions(onread: () => void): Promise<GameFile[]> {
    const { api, item, file } = this.given;
    if (!LISTS.includes(extensionOf(file.name))) return [];
    const others = item.files.filter((other) => other.id !== file.id && !other.missing);
    return Promise.all(
      others.map(async ({ name, content_url }) => ({
        name,
        bytes: await download(api, content_url, this.#ended.signal, onread),
      })),
    );
  }

  async #bios(onread: () => void): Promise<GameFile[]> {
    const { api } = this.given;
    const there = (this.core?.bios ?? []).filter(({ platforms: of }) => of.includes(this.platform?.id ?? ''));
    const read = there.map(async ({ name, url }) =>
      url ? [{ name, bytes: await download(api, url, this.#ended.signal, onread) }] : [],
    );
    return (await Promise.all(read)).flat();
  }

  #events(): HostEvents {
    return {
      ontrouble: (reason: string) => this.#trouble(reason),
      onkey: this.given.onkey,
      onblur: () => this.blur(),
    };
  }

  /** The focus can be elsewhere now; the frame still exists. */
  blur(): void {
    if (!document.hasFocus()) this.release();
  }

  /** Keeps the first error: later ones are consequences. */
  #trouble(reason: string): void {
    if (this.#ended.signal.aborted) return;
    this.phase = { name: 'failed', error: new Error(reason) };
    this.#ended.abort();
    this.#blank();
  }

  press(player: number, button: Button, down: boolean): void {
    if (this.phase.name !== 'running' && down) return;
    if (down) this.#held.set(`${player}/${button}`, { player, button });
    else this.#held.delete(`${player}/${button}`);
    const state = signal(button, down, this.platform?.id ?? '');
    this.#host?.tell({ tell: 'input', player, ...state });
  }

  /** Releases all buttons: their owner can miss the release. */
  release(): void {
    for (const { player, button } of [...this.#held.values()]) this.press(player, button, false);
  }

  setVolume(volume: number): void {
    this.#host?.tell({ tell: 'volume', volume });
  }

  async pause(): Promise<void> {
    const host = this.#host;
    if (!host || this.phase.name !== 'running') return;
    this.phase = { name: 'paused' };
    this.release();
    // A hidden page renders nothing.
    this.#pausedPicture = document.hidden ? null : await host.ask('picture', AT_PAUSE).catch(() => null);
    if (this.isPaused) await this.#run(host, false);
  }

  async resume(): Promise<void> {
    if (this.phase.name !== 'paused') return;
    this.phase = { name: 'running' };
    await this.#run(this.#host, true);
  }

  /** The frame reports its own end or failure. */
  async #run(host: Host | null, on: boolean): Promise<void> {
    await host?.ask('run', on).catch(() => {});
  }

  async restart(): Promise<void> {
    await this.#host?.ask('restart', null).catch(() => {});
    await this.resume();
  }

  async save(slot: string): Promise<void> {
    const [host, core] = [this.#host, this.core];
    if (!host || !core || !this.isOn || this.note === 'saving') return;
    this.note = 'saving';
    try {
      const state = await host.ask('state', null);
      const picture = await this.#picture(host);
      const there = await this.slots.write(slot, state, core.id);
      if (picture) await this.#keepPicture(slot, picture, core);
      this.note = there ? 'saved' : 'saved here';
    } catch (error) {
      if (error instanceof TooLarge) this.note = 'too large';
      else if (error instanceof ApiError && error.status === 412) this.note = 'conflict';
      else this.note = 'cannot save';
      return;
    }
    await this.#saveBattery();
  }

  async load(slot: string): Promise<void> {
    if (!this.loads(slot) || !this.#host) return;
    try {
      const state = await this.slots.read(slot);
      if (!state) return;
      await this.resume();
      await this.#host.ask('load', state);
      this.note = 'loaded';
    } catch {
      this.note = 'cannot load';
    }
  }

  /** Saves the state without a notification. */
  async autosave(): Promise<void> {
    const [host, core] = [this.#host, this.core];
    if (!host || !core || !this.isOn || this.#holdsBack) return;
    try {
      const picture = await this.#picture(host);
      await this.slots.write(AUTO, await host.ask('state', null), core.id, true);
      if (picture) await this.#keepPicture(AUTO, picture, core);
    } catch (error) {
      // Ignore a failed automatic save: the user can save manually.
      if (error instanceof TooLarge) this.note = 'too large';
    }
    await this.#saveBattery();
  }

  /** Returns the current screen, or the one at the time of the pause. */
  async #picture(host: Host): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.isPaused) return this.#pausedPicture;
    return document.hidden ? null : host.ask('picture', ANSWER_TIMEOUT);
  }

  async #keepPicture(slot: string, picture: Uint8Array<ArrayBuffer>, core: Core): Promise<void> {
    await this.slots.write(pictureOf(slot), picture, core.id, true);
    this.pictures.put(slot, picture);
  }

  async #watchBattery(): Promise<void> {
    if (this.phase.name !== 'running' || this.#holdsBack) return;
    const bytes = await this.#host?.ask('battery', null).catch(() => null);
    if (bytes && this.#battery.isDue(bytes)) await this.#keepBattery(bytes);
  }

  async #saveBattery(): Promise<void> {
    if (this.#holdsBack) return;
    const bytes = await this.#host?.ask('battery', null).catch(() => null);
    if (bytes && this.#battery.isNew(bytes)) await this.#keepBattery(bytes);
  }

  async #keepBattery(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const core = this.core;
    if (!core) return;
    try {
      await this.slots.write(BATTERY, bytes, core.id, true);
      this.#battery.sent(bytes);
    } catch {
      // The next check retries.
    }
  }

  /** Closes the game: remaining saves are taken out of the frame before its removal. */
  end(): void {
    for (const { slot, bytes } of this.#capture()) {
      void this.slots.write(slot, bytes, this.core?.id ?? '', true).catch(() => {});
    }
    this.slots.close();
  }

  /** Replaces the automatic state, and ends the game without saving. After a failure the game continues. */
  async giveUp(restore: () => Promise<void>): Promise<void> {
    this.#holdsBack = true;
    try {
      await restore();
    } catch (error) {
      this.#holdsBack = false;
      throw error;
    }
    this.#capture();
    this.slots.close();
  }

  /** Closes the game with the page, without waiting. */
  saveOnClose(): void {
    this.slots.leave(this.core?.id ?? '', this.#capture());
  }

  /** Ends the game, and returns its remaining saves, the most important first. */
  #capture(): { slot: string; bytes: Uint8Array<ArrayBuffer> }[] {
    const { state = null, battery = null } = (this.isOn && this.#window?.ledgeGrab?.()) || {};
    this.#ended.abort();
    this.#stop();
    this.pictures.close();
    const saves = [];
    if (this.#battery.isNew(battery)) saves.push({ slot: BATTERY, bytes: battery });
    if (state) saves.push({ slot: AUTO, bytes: state });
    return saves;
  }

  #stop(): void {
    for (const timer of this.#timers) window.clearInterval(timer);
    this.#host?.close();
    this.#host = null;
  }
}

/** Saves that a frame returns at its end. */
export interface FinalSaves {
  state: Uint8Array<ArrayBuffer> | null;
  battery: Uint8Array<ArrayBuffer> | null;
}
