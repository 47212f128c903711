/** Parts of the player that load after it, some for certain devices only. Without them, the film plays as well. */
import { measureFrames } from '../player/frame-length';
import type { VideoPlayer } from '../player/player.svelte';
import { keepScreenOn } from '../player/wake-lock';
import { followGamepads } from './gamepad';
import { canSetVolume, Gestures } from './gestures';

interface Uses {
  /** Gets the gestures of a touch screen. */
  ongestures: (gestures: Gestures) => void;
  /** Gets the time to which a swipe leads; null at its end. */
  onpreview: (time: number | null) => void;
  /** Called after each press on a gamepad. */
  onpress: () => void;
}

/** Adds the parts to a player until the signal aborts. */
export function attach(player: VideoPlayer, signal: AbortSignal, uses: Uses): void {
  uses.ongestures(new Gestures(player, canSetVolume, uses.onpreview));
  signal.addEventListener('abort', followGamepads(player, uses.onpress));
  const { element } = player;
  if (!element) return;
  keepScreenOn(element, signal);
  measureFrames(element, signal, (seconds) => (player.frame = seconds));
  // The tracks by the server's facts come first: they are also there while the page decodes.
  if (player.audio.list.length > 0 || !('audioTracks' in element)) return;
  import('../player/native-audio.svelte').then(
    ({ NativeAudio }) => {
      if (signal.aborted) return;
      const audio = new NativeAudio(element);
      player.audio.offer(audio);
      signal.addEventListener('abort', audio.follow());
    },
    () => {}, // the film keeps its default track
  );
}
