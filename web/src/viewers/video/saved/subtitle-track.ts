/** The subtitle tracks of a film: texts of the server, and pictures inside the file. */
import type { Subtitles } from '../../../api/models';

/** A track of pictures. The server sends no text for it. */
export interface PictureTrack extends Subtitles {
  /** Number of the track among the picture subtitles of the file. */
  readonly picture: number;
}

export type SubtitleTrack = Subtitles | PictureTrack;

/** Returns true for subtitles that are pictures. */
export function isPicture(track: SubtitleTrack): track is PictureTrack {
  return 'picture' in track;
}
