/** Audio tracks that the browser itself offers; only Safari does. */
import type { AudioTrack, AudioTracks } from './audio-tracks';

interface NativeTrack {
  readonly id: string;
  readonly label: string;
  readonly language: string;
  enabled: boolean;
}
type NativeList = EventTarget & ArrayLike<NativeTrack>;

export class NativeAudio implements AudioTracks {
  list = $state.raw<readonly AudioTrack[]>([]);
  chosen = $state('');
  readonly #native: NativeList | undefined;

  constructor(element: HTMLVideoElement) {
    this.#native = (element as { audioTracks?: NativeList }).audioTracks;
    this.#update();
  }

  /** Follows the tracks of the element. The returned function stops that. */
  follow(): () => void {
    const listening = new AbortController();
    const { signal } = listening;
    for (const event of ['addtrack', 'removetrack', 'change'])
      this.#native?.addEventListener(event, () => this.#update(), { signal });
    return () => listening.abort();
  }

  choose(id: string): void {
    for (const [index, track] of this.#all.entries()) track.enabled = idOf(track, index) === id;
    this.#update();
  }

  get #all(): NativeTrack[] {
    return this.#native ? Array.from(this.#native) : [];
  }

  #update(): void {
    this.list = this.#all.map((track, index) => ({
      id: idOf(track, index),
      label: track.label,
      language: track.language || null,
    }));
    const at = this.#all.findIndex((track) => track.enabled);
    this.chosen = this.list[at]?.id ?? '';
  }
}

/** Tracks of some files have no id. */
function idOf(track: NativeTrack, index: number): string {
  return track.id || String(index);
}
