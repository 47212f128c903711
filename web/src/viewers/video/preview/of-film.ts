/** The previews of a film, for as long as its page is open. */
import type { Supports } from '../../../playback/decode/decision';
import type { Device } from '../../../playback/decode/device';
import type { VideoPlayer } from '../player/player.svelte';
import { DecoderSource } from './decoder';
import { ElementSource } from './element';
import { Previews } from './previews';
import { sourceOf, type Network, type PreviewFilm } from './source';

const known = new WeakMap<PreviewFilm, Previews>();

/** Returns the previews of a film. Its pictures stay while the pointer is elsewhere. */
export function previewsOf(
  film: PreviewFilm,
  player: VideoPlayer,
  supports: Supports,
  device: Device,
): Previews {
  const found = known.get(film);
  if (found) return found;
  const open = () => {
    const reel = film.there?.reel ?? null;
    const { connection } = navigator as { connection?: Network };
    switch (reel && sourceOf(reel, film.decision.way, supports, device, connection)) {
      case 'element':
        return reel && new ElementSource(reel.content_url);
      case 'decoder':
        return reel && new DecoderSource(reel.content_url, reel.name);
      default:
        return null;
    }
  };
  // After a seek of the user, playback waits for data too; the preview does not.
  const isBusy = () => !film.begun || (film.waiting && player.element?.seeking !== true);
  const previews = new Previews(player.length, open, isBusy);
  known.set(film, previews);
  return previews;
}
