/** One game being played: from the server to the frame, and its states back. */
import { ApiError, type ApiClient } from '../../api/client';
import type { Item, MediaFile } from '../../api/types';
import { Battery } from './battery';
import { Host, type HostEvents } from './host';
import { signal, type Button } from './pad';
import { extensionOf, gameIn } from './pack';
import { Pictures } from './pictures.svelte';
import { Patience } from './patience';
import { cores, download, platforms, type BiosFile, type Core, type Platform } from './remote';
import { AUTO, BATTERY, pictureOf, SlotShelf, TooLarge } from './shelf.svelte';
import type { GameFile } from './wire';

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

/** How often the game is saved while it is played, and its battery looked at. */
const EVERY = 60_000;
const LOOK = 3000;
/** How long one waits for a picture: for a save, and before the game stands still. */
const PATIENCE = 2000;
const AT_PAUSE = 250;
/** How long a game may come to a standstill before it runs: a disk that wakes up takes less. */
const STANDSTILL = 60_000;
/** The same while its core is compiled, of which nothing is heard: a weak device takes its time. */
const COMPILING = 180_000;
/** Files that lie beside a disc's and belong to it. */
const LISTS: readonly string[] = ['cue', 'm3u', 'ccd'];

interface Given {
  api: ApiClient;
  user: number;
  item: Item;
  file: MediaFile;
  /** Whether to begin anew rather than where it was left. */
  anew: boolean;
  volume: number;
  onkey: (code: string, down: boolean) => unknown;
}

interface Held {
  player: number;
  button: Button;
}

export class Play {
  phase = $state.raw<Phase>({ name: 'loading', share: null });
  note = $state.raw<Note | null>(null);
  platform = $state.raw<Platform | null>(null);
  core = $state.raw<Core | null>(null);
  readonly shelf: SlotShelf;
  readonly pictures: Pictures;

  #frame: HTMLIFrameElement | null = null;
  #host: Host | null = null;
  #window: (Window & { ledgeGrab?: () => Grabbed }) | null = null;
  #battery = new Battery(null);
  /** The screen as it stood when the game was paused: a core that stands still draws none. */
  #still: Uint8Array<ArrayBuffer> | null = null;
  /** Saves nothing by itself: what is in the slots is being put back. */
  #holdsBack = false;
  readonly #held = new Map<string, Held>();
  readonly #ended = new AbortController();
  #timers: number[] = [];

  constructor(private readonly given: Given) {
    this.shelf = new SlotShelf(given.api, given.user, given.item.id);
    this.pictures = new Pictures(this.shelf);
  }

  get isPaused(): boolean {
    return this.phase.name === 'paused';
  }

  get isOn(): boolean {
    return this.phase.name === 'running' || this.phase.name === 'paused';
  }

  /** Whether gamepads are the game's: not while it stands still, nor once it has come to nothing. */
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
      // What else is on its way is of no use any more.
      this.#ended.abort();
      this.#blank();
    }
  }

  async #start(frame: HTMLIFrameElement): Promise<void> {
    if (!hasWebGl2()) return void (this.phase = { name: 'webgl' });
    const patience = new Patience(STANDSTILL, this.#ended.signal, () => this.#stall());
    try {
      await this.#load(frame, (quiet) => patience.sign(quiet));
    } finally {
      patience.end();
    }
  }

  /** Nothing comes any more: neither an answer, nor a byte, nor a word from the frame. */
  #stall(): void {
    this.phase = { name: 'stalled' };
    this.#ended.abort();
    this.#blank();
  }

  /** The game is given up, and not seen any more: a core that comes later shall not be heard either. */
  #blank(): void {
    this.#stop();
    // A new `src` would be one more step on the way back.
    this.#frame?.contentWindow?.location.replace('about:blank');
  }

  /** Brings the game to where it runs; `sign` is told of every step, and how long the next may take. */
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
    const told = () => {
      sign();
      if (this.phase.name !== 'loading') return;
      this.phase = { name: 'loading', share: size ? Math.min(1, (coreRead + gameRead) / total) : null };
    };
    // What is read is told in bytes, which are no patience.
    const alive = () => sign();
    const [wasm, game, beside, bios, host] = await Promise.all([
      download(api, wasmUrl, ended, (read) => ((coreRead = read), told())),
      this.#game(file, (read) => ((gameRead = read), told())),
      this.#beside(alive),
      this.#bios(alive),
      Host.connect(frame, this.#events(), ended),
      this.shelf.open(ended),
      this.shelf.standBy(),
    ]);
    if (ended.aborted) return host.close();
    sign(COMPILING);
    this.phase = { name: 'starting' };
    this.#host = host;
    const battery = await this.shelf.read(BATTERY);
    const left = this.given.anew ? null : await this.#left();
    const { volume } = this.given;
    sign();
    await host.ask('start', { script, wasm: wasm.buffer, game, beside, bios, battery, volume });
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

  /** Where the game was left, if this core left it. */
  async #left(): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.loads(AUTO) ? this.shelf.read(AUTO) : null;
  }

  /** Whether a slot holds a state of this core: another's would do harm. */
  loads(slot: string): boolean {
    const there = this.shelf.slot(slot);
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

  /** A list of tracks or discs is nothing without them. */
  async #beside(onread: () => void): Promise<GameFile[]> {
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

  /** The keyboard may be elsewhere now; a frame of this page is still here. */
  blur(): void {
    if (!document.hasFocus()) this.release();
  }

  /** The first thing that ends a game is the reason: whatever fails from then on follows from it. */
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
    const told = signal(button, down, this.platform?.id ?? '');
    this.#host?.tell({ tell: 'input', player, ...told });
  }

  /** Lets go of every button: whoever holds them may not be heard letting go. */
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
    // Nothing is drawn where nobody looks.
    this.#still = document.hidden ? null : await host.ask('picture', AT_PAUSE).catch(() => null);
    if (this.isPaused) await this.#run(host, false);
  }

  async resume(): Promise<void> {
    if (this.phase.name !== 'paused') return;
    this.phase = { name: 'running' };
    await this.#run(this.#host, true);
  }

  /** A frame that has gone, or fails, says so itself. */
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
      const there = await this.shelf.write(slot, state, core.id);
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
      const state = await this.shelf.read(slot);
      if (!state) return;
      await this.resume();
      await this.#host.ask('load', state);
      this.note = 'loaded';
    } catch {
      this.note = 'cannot load';
    }
  }

  /** Saves where the game is, without a word about it. */
  async autosave(): Promise<void> {
    const [host, core] = [this.#host, this.core];
    if (!host || !core || !this.isOn || this.#holdsBack) return;
    try {
      const picture = await this.#picture(host);
      await this.shelf.write(AUTO, await host.ask('state', null), core.id, true);
      if (picture) await this.#keepPicture(AUTO, picture, core);
    } catch (error) {
      // What cannot be saved by itself is left to the player.
      if (error instanceof TooLarge) this.note = 'too large';
    }
    await this.#saveBattery();
  }

  /** The screen as it is, or as it was when it came to stand still. */
  async #picture(host: Host): Promise<Uint8Array<ArrayBuffer> | null> {
    if (this.isPaused) return this.#still;
    return document.hidden ? null : host.ask('picture', PATIENCE);
  }

  async #keepPicture(slot: string, picture: Uint8Array<ArrayBuffer>, core: Core): Promise<void> {
    await this.shelf.write(pictureOf(slot), picture, core.id, true);
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
      await this.shelf.write(BATTERY, bytes, core.id, true);
      this.#battery.sent(bytes);
    } catch {
      // The next look tries again.
    }
  }

  /** Leaves: what is left of the game is taken out of the frame before that goes. */
  end(): void {
    for (const { slot, bytes } of this.#grab()) {
      void this.shelf.write(slot, bytes, this.core?.id ?? '', true).catch(() => {});
    }
    this.shelf.close();
  }

  /** Puts another save where this game would save by itself, and ends it as it is; where that fails, it goes on. */
  async giveUp(restore: () => Promise<void>): Promise<void> {
    this.#holdsBack = true;
    try {
      await restore();
    } catch (error) {
      this.#holdsBack = false;
      throw error;
    }
    this.#grab();
    this.shelf.close();
  }

  /** Leaves with the page itself, which waits for nothing any more. */
  vanish(): void {
    this.shelf.leave(this.core?.id ?? '', this.#grab());
  }

  /** Ends the game; what of it is to be saved, the most precious first. */
  #grab(): { slot: string; bytes: Uint8Array<ArrayBuffer> }[] {
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

/** What a frame hands out in its last moment. */
export interface Grabbed {
  state: Uint8Array<ArrayBuffer> | null;
  battery: Uint8Array<ArrayBuffer> | null;
}

export function hasWebGl2(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // A browser has few of them: this one is given back.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

/** The BIOS files of which a platform needs one, if none is there. */
export function missingBios(files: readonly BiosFile[], platform: string): string[] {
  const needed = files.filter((file) => file.required && file.platforms.includes(platform));
  return needed.some((file) => file.state === 'added') ? [] : needed.map((file) => file.name);
}
