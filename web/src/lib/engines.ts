/** The playback engines of this browser, by the server's names. */

// A build without the licensed codecs plays the free container only. A build that plays neither has no player.
const samples = ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/webm; codecs="vp9, opus"'];

const answers = new Map<string, boolean>();

/** Returns a comma-separated list for `engines=`; empty if the browser plays nothing. */
export function engines(): string {
  const own = samples.some(accepts) ? 'html5' : '';
  return own && hasDecoder() ? `${own},web-decode` : own;
}

/** Returns true if the page can decode files by itself: it needs WebAssembly, and media sources for the sound. */
export function hasDecoder(): boolean {
  return 'WebAssembly' in globalThis && !!mediaSourceClass();
}

/** Returns the class of media sources. iPhones have the managed one only. */
export function mediaSourceClass(): typeof MediaSource | undefined {
  const { MediaSource: usual, ManagedMediaSource: managed } = globalThis as Partial<
    Record<'MediaSource' | 'ManagedMediaSource', typeof MediaSource>
  >;
  return usual ?? managed;
}

/** Returns true if the browser's element can play a type. */
export function accepts(type: string): boolean {
  let answer = answers.get(type);
  if (answer === undefined) {
    answer = asks(type);
    answers.set(type, answer);
  }
  return answer;
}

function asks(type: string): boolean {
  if (typeof document === 'undefined') return false;
  const probe = document.createElement('video');
  return typeof probe.canPlayType === 'function' && probe.canPlayType(type) !== '';
}
