/** Shows a track of picture subtitles over a film. */
import type { FilmReader } from './film';
import { PictureLayer } from './layer';
import type { FilmSize } from './place';
import { streamOf } from './tracks';

/** Shows the track with a number among the picture subtitles until `signal`. The film reads it from its file. */
export function showPictures(
  picture: number,
  film: FilmReader,
  host: HTMLElement,
  delay: () => number,
  signal: AbortSignal,
): void {
  if (signal.aborted) return;
  const clock = () => (film.there?.element.currentTime ?? 0) - delay();
  const layer = new PictureLayer(host, clock, () => sizeOf(film));
  film.inside = layer;
  film.chooseSubtitles((contents) => streamOf(contents, picture));
  signal.addEventListener('abort', () => {
    layer.close();
    film.inside = null;
    film.chooseSubtitles(null);
  });
}

/** Returns the size of the picture. The element has none for a film that the page decodes. */
function sizeOf({ there, isDrawn, contents }: FilmReader): FilmSize {
  const { element, canvas, reel } = there ?? {};
  const stream = contents?.streams.find(({ type }) => type === 'video');
  const shown =
    isDrawn && canvas
      ? { width: canvas.width, height: canvas.height }
      : {
          width: element?.videoWidth || (reel?.width ?? 0),
          height: element?.videoHeight || (reel?.height ?? 0),
        };
  return { shown, stored: stream ? { width: stream.width, height: stream.height } : null };
}
