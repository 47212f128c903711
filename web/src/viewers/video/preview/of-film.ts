/** The previews of a film, for as long as its page is open. */
import { readDevice } from '../../../playback/decode/device';
import { browserSupport } from '../../../playback/decode/supports';
import { DecoderSource } from './decoder';
import { ElementSource } from './element';
import { Previews } from './previews';
import { sourceOf, type Network, type PreviewFilm, type PreviewSource } from './source';

/** The player of the film, as its preview sees it. */
interface PreviewPlayer {
  /** Length of the film in seconds. */
  readonly length: number;
  readonly element: { readonly seeking: boolean } | undefined;
}

/** Returns the previews of a film. Its pictures stay while the pointer is elsewhere. */
export function previewsOf(film: PreviewFilm, player: PreviewPlayer): Previews {
  // After a seek of the user, playback waits for data too; the preview does not.
  const isBusy = () => !film.begun || (film.waiting && player.element?.seeking !== true);
  film.previews ??= new Previews(
    () => player.length,
    () => sourceFor(film),
    isBusy,
  );
  return film.previews;
}

/** Opens the source of a film. The speed of the device may have been measured since the last time. */
function sourceFor({ there, decision }: PreviewFilm): PreviewSource | null {
  if (!there) return null;
  const { reel } = there;
  const { connection } = navigator as { connection?: Network };
  switch (sourceOf(reel, decision.way, browserSupport(), readDevice(), connection)) {
    case 'element':
      return new ElementSource(reel.content_url);
    case 'decoder':
      return new DecoderSource(reel.content_url, reel.name);
    case null:
      return null;
  }
}
