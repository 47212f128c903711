/** The playback engines that this browser stands for, as the server names them. */

// A build without the licensed codecs plays the free container only; one that plays neither is no player.
const samples = ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/webm; codecs="vp9, opus"'];

let known: string | null = null;

/** A comma list for `engines=`; empty where the browser plays nothing. */
export function engines(): string {
  known ??= plays() ? 'html5' : '';
  return known;
}

function plays(): boolean {
  if (typeof document === 'undefined') return false;
  const probe = document.createElement('video');
  return typeof probe.canPlayType === 'function' && samples.some((type) => probe.canPlayType(type) !== '');
}
