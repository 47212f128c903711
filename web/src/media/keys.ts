/** The system's own controls: media keys, the lock screen, headphones. */
import { sized } from '../library/proportions';
import type { Player } from './player.svelte';

/** Lets the system's keys act on the player; the function returned gives them back. */
export function claimKeys(player: Player): () => void {
  if (!('mediaSession' in navigator)) return () => {};
  const { back, forward } = player.habits.value;
  const actions: Partial<Record<MediaSessionAction, (details: MediaSessionActionDetails) => void>> = {
    play: () => player.resume(),
    pause: () => player.pause(),
    stop: () => player.pause(),
    previoustrack: () => player.previous(),
    nexttrack: () => player.next(),
    seekbackward: ({ seekOffset }) => player.skip(-(seekOffset ?? back)),
    seekforward: ({ seekOffset }) => player.skip(seekOffset ?? forward),
    seekto: ({ seekTime }) => seekTime !== undefined && player.seek(seekTime),
  };
  const entries = Object.entries(actions) as [MediaSessionAction, MediaSessionActionHandler][];
  for (const [action, handler] of entries) handle(action, handler);
  return () => {
    for (const [action] of entries) handle(action, null);
    navigator.mediaSession.metadata = null;
    navigator.mediaSession.playbackState = 'none';
  };
}

function handle(action: MediaSessionAction, handler: MediaSessionActionHandler | null): void {
  try {
    navigator.mediaSession.setActionHandler(action, handler);
  } catch {
    // A key that this browser does not know.
  }
}

/** Tells the system what plays. */
export function announce({ item, heading, playing }: Player): void {
  if (!('mediaSession' in navigator) || item === null) return;
  const { cover } = item;
  navigator.mediaSession.metadata = new MediaMetadata({
    title: heading,
    album: item.title,
    artist: item.authors,
    artwork: cover ? [{ src: sized(cover.url, 'medium') }] : [],
  });
  navigator.mediaSession.playbackState = playing ? 'playing' : 'paused';
}

/** Tells the system how far it is. */
export function announcePlace({ at, length, speed }: Player): void {
  if (!('mediaSession' in navigator) || !(length > 0)) return;
  navigator.mediaSession.setPositionState({
    duration: length,
    playbackRate: speed,
    position: Math.min(Math.max(0, at), length),
  });
}
