/** Audio tracks by the server's facts. The page reads the file by itself to play another than the first. */
import type { MediaFile } from '../../../api/models';
import type { AudioTrack, AudioTracks } from './audio-tracks';

interface Film {
  /** Number of the sound track that plays. */
  readonly audio: number;
  chooseAudio(track: number): void;
  /** Returns true if the picture of the film is not decoded because of the track. */
  keepsPicture(track: number): boolean;
}

export class FilmAudio implements AudioTracks {
  readonly list: readonly AudioTrack[];

  constructor(
    private readonly film: Film,
    streams: MediaFile['streams'],
  ) {
    this.list = streams
      .filter(({ type }) => type === 'audio')
      .map(({ title, language }, track) => ({ id: String(track), label: title ?? '', language }));
  }

  get chosen(): string {
    return String(this.film.audio);
  }

  isCheap(id: string): boolean {
    return this.film.keepsPicture(Number(id));
  }

  choose(id: string): void {
    if (id !== this.chosen) this.film.chooseAudio(Number(id));
  }
}
