/** The audio tracks that the player offers, and the remembered choice. */
import type { FilmSettings } from '../saved/settings';
import { preferredAudio, type AudioTrack, type AudioTracks } from './audio-tracks';

export class AudioSelection {
  #tracks = $state.raw<AudioTracks | null>(null);
  /** Number of tracks for which a track was selected at the start: files announce theirs one at a time. */
  #selectedOf = 0;

  constructor(private readonly saved: FilmSettings) {}

  /** Offers the tracks of a provider; null if there is none. */
  offer(tracks: AudioTracks | null): void {
    this.#tracks = tracks;
    this.#selectedOf = 0;
  }

  /** The tracks to choose from; empty for a single one. */
  get list(): readonly AudioTrack[] {
    const list = this.#tracks?.list ?? [];
    return list.length > 1 ? list : [];
  }

  get chosen(): string {
    return this.#tracks?.chosen ?? '';
  }

  choose(id: string): void {
    const track = this.list.find((one) => one.id === id);
    if (!track) return;
    this.#tracks?.choose(id);
    this.saved.audio = { language: track.language, label: track.label };
  }

  /** Selects the remembered track, or one in a language of the user. Call it when the list changes. */
  select(languages: readonly string[]): void {
    const { list } = this;
    if (list.length === this.#selectedOf) return;
    this.#selectedOf = list.length;
    const track = preferredAudio(list, this.saved.audio, languages, this.chosen);
    if (!track || track.id === this.chosen) return;
    // A language alone does not justify software decoding of the picture.
    const isWanted = this.saved.audio !== null || (this.#tracks?.isCheap?.(track.id) ?? true);
    if (isWanted) this.#tracks?.choose(track.id);
  }
}
