/** A film as its subtitles see it. */
import type { Facts } from '../../../../playback/decode/native';
import type { Contents, SubtitleCue } from '../../../../playback/decode/protocol';

/** Receives the subtitles inside the file, while the page reads the file by itself. */
export interface Inside {
  /** Reading begins at a new position: earlier subtitles are void. */
  begin?: () => void;
  subtitle?: (cue: SubtitleCue) => void;
}

/** Returns the stream to extract among the contents of the file; null if it is not there. */
export type FindStream = (contents: Contents) => number | null;

export interface FilmReader {
  inside: Inside | null;
  /** The film with its element; null before it plays. */
  readonly there: {
    readonly element: HTMLVideoElement;
    /** Decoded pictures appear here. */
    readonly canvas: HTMLCanvasElement | null;
    readonly reel: Facts;
  } | null;
  /** Contents of the file, while the page reads it by itself. */
  readonly contents: Contents | null;
  /** The canvas shows the picture. */
  readonly isDrawn: boolean;
  /** Number of the sound track that plays. */
  readonly audio: number;
  chooseSubtitles(find: FindStream | null): void;
}
