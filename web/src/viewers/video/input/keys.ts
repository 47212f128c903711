/** The keys of the video player. */
import { usesKey } from '../../../components/player/shortcuts';
import type { VideoPlayer } from '../player/player.svelte';

type Act = (player: VideoPlayer) => void;

const KEYS: Readonly<Record<string, Act>> = {
  ' ': (player) => player.toggle(),
  k: (player) => player.toggle(),
  ArrowLeft: (player) => player.skip(-10),
  ArrowRight: (player) => player.skip(10),
  j: (player) => player.skip(-10),
  l: (player) => player.skip(10),
  ArrowUp: (player) => player.setVolume(player.volume + 0.1),
  ArrowDown: (player) => player.setVolume(player.volume - 0.1),
  m: (player) => player.mute(),
  f: (player) => player.fullscreen(),
  p: (player) => player.pip(),
  '<': (player) => player.faster(-1),
  '>': (player) => player.faster(1),
  Home: (player) => player.seek(0),
  End: (player) => player.seek(player.length),
  Escape: (player) => {
    if (!document.fullscreenElement) player.leave();
  },
};

/** Performs the action of a key, unless the focused control uses the key itself. */
export function press(player: VideoPlayer, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (usesKey(event.target as HTMLElement, event.key)) return;
  const act = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
  if (!act) return;
  event.preventDefault();
  act(player);
}
