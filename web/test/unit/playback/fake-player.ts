/** A player on elements of the test, which play in no time. */
import { vi } from 'vitest';
import { ApiError } from '../../../src/api/client';
import type { FileGain, Item, MediaFile, Progress } from '../../../src/api/models';
import { ORIGINAL, type Order } from '../../../src/playback/queue/saved-order';
import { type SavedEntry } from '../../../src/playback/queue/saved-queue';
import { Player } from '../../../src/playback/player.svelte';
import type { Outside } from '../../../src/playback/queued-item.svelte';
import type { ProgressUpdate } from '../../../src/progress/progress-store.svelte';

/** A media element under the control of the test. */
export class Fake extends EventTarget {
  #src: string | null = null;
  currentTime = 0;
  duration = Number.NaN;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 0;
  error: { code: number } | null = null;
  playbackRate = 1;
  defaultPlaybackRate = 1;
  volume = 1;
  muted = false;
  preload = '';

  get src() {
    return this.#src ?? '';
  }
  set src(url: string) {
    this.#src = url;
    this.load();
  }
  getAttribute = () => this.#src;
  hasAttribute = () => this.#src !== null;
  removeAttribute = () => (this.#src = null);
  load() {
    Object.assign(this, { currentTime: 0, readyState: 0, ended: false, paused: true, error: null });
  }
  play() {
    this.paused = false;
    this.say('play');
    return Promise.resolve();
  }
  pause() {
    if (this.paused) return;
    this.paused = true;
    this.say('pause');
  }
  remove() {}
  say(type: string) {
    this.dispatchEvent(new Event(type));
  }

  /** Its file has come. */
  arrive(duration: number) {
    this.duration = duration;
    this.readyState = 4;
    this.say('durationchange');
    this.say('loadedmetadata');
  }
  run(to: number) {
    this.currentTime = to;
    this.say('timeupdate');
  }
  finish() {
    Object.assign(this, { currentTime: this.duration, ended: true, paused: true });
    this.say('timeupdate');
    this.say('pause');
    this.say('ended');
  }
}

export const file = (id: number, more: Partial<MediaFile> = {}) =>
  ({
    id,
    name: `${id}.mp3`,
    title: `Part ${id}`,
    viewer: 'audio',
    missing: false,
    part: id,
    episode: null,
    duration: 60,
    extent: 60,
    chapters: [],
    streams: [],
    container: 'mp3',
    vcodec: null,
    acodec: 'mp3',
    progress: null,
    content_url: `/files/${id}`,
    ...more,
  }) as MediaFile;

export const book = (files: MediaFile[], form = 'audiobook') =>
  ({ id: 9, title: 'Book', authors: 'Somebody', cover: null, files, facts: { form } }) as unknown as Item;

export function listen(item: Item, start: MediaFile, from?: number) {
  const heard = stand();
  heard.player.play(item, start, from);
  return heard;
}

/** An empty player; `there` are the items of the server, and `gains` those of their files. */
export function stand(
  there: Item[] = [],
  left: SavedEntry[] = [],
  before: Order = ORIGINAL,
  outside: Outside | null = null,
  gains: Record<number, FileGain[]> = {},
) {
  const elements = [new Fake(), new Fake()] as const;
  const noted: [number, ProgressUpdate][] = [];
  const api = {
    probe: vi.fn(async () => 206),
    countView: vi.fn(async (id: number) => ({ views: id })),
    gains: vi.fn(async (id: number): Promise<{ items: FileGain[] }> => ({ items: gains[id] ?? [] })),
    item: vi.fn(async (id: number) => {
      const one = there.find((item) => item.id === id);
      if (!one) throw new ApiError(404, 'not_found', 'No such item.');
      return one;
    }),
  };
  let ids = left;
  let order = before;
  const kept = {
    get: () => ids,
    set: (list: readonly SavedEntry[]) => void (ids = [...list]),
  };
  const keptOrder = { get: () => order, set: (one: Order) => void (order = one) };
  const progressStore = {
    note: (_: unknown, { id }: { id: number }, reached: ProgressUpdate) => void noted.push([id, reached]),
    settle: vi.fn(),
    resume: vi.fn(() => 0),
    of: vi.fn((): Progress | null => null),
  };
  const player = new Player(
    elements as unknown as readonly [HTMLAudioElement, HTMLAudioElement],
    api,
    progressStore,
    kept,
    keptOrder,
    () => Date.now(),
    outside,
  );
  return { player, elements, noted, api, progressStore, kept, keptOrder };
}
