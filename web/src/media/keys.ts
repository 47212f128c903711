/** The system's own controls: media keys, the lock screen, headphones. */
import type { Cover } from '../api/types';
import { sized } from '../library/proportions';

export type Actions = Partial<Record<MediaSessionAction, (details: MediaSessionActionDetails) => void>>;

/** What plays, as the system shows it. */
export interface Announced {
  title: string;
  album: string;
  artist: string;
  cover: Cover | null;
  playing: boolean;
}

/** The browser has one set of keys: whoever claimed them last has them, and gives them back to the one before. */
const claims: Actions[] = [];

/** Lets the system's keys do this; the function returned gives them back. */
export function claimKeys(actions: Actions): () => void {
  if (!('mediaSession' in navigator)) return () => {};
  claims.push(actions);
  hand(actions, claims.at(-2));
  return () => {
    const at = claims.lastIndexOf(actions);
    const had = at === claims.length - 1;
    claims.splice(at, 1);
    if (!had) return;
    navigator.mediaSession.metadata = null;
    navigator.mediaSession.playbackState = 'none';
    hand(claims.at(-1) ?? {}, actions);
  };
}

/** Whether the keys are this one's by now. */
function holds(actions: Actions): boolean {
  return claims.at(-1) === actions;
}

function hand(to: Actions, from: Actions = {}): void {
  for (const action of Object.keys(from) as MediaSessionAction[]) if (!to[action]) handle(action, null);
  for (const [action, act] of Object.entries(to)) handle(action as MediaSessionAction, act);
}

function handle(action: MediaSessionAction, handler: MediaSessionActionHandler | null): void {
  try {
    navigator.mediaSession.setActionHandler(action, handler);
  } catch {
    // A key that this browser does not know.
  }
}

/** Tells the system what plays, where the keys are this one's. */
export function announce(actions: Actions, { title, album, artist, cover, playing }: Announced): void {
  if (!('mediaSession' in navigator) || !holds(actions)) return;
  navigator.mediaSession.metadata = new MediaMetadata({
    title,
    album,
    artist,
    artwork: cover ? [{ src: sized(cover.url, 'medium') }] : [],
  });
  navigator.mediaSession.playbackState = playing ? 'playing' : 'paused';
}

/** Tells the system how far it is. */
export function announcePlace(actions: Actions, at: number, length: number, speed: number): void {
  if (!('mediaSession' in navigator) || !holds(actions) || !(length > 0)) return;
  navigator.mediaSession.setPositionState({
    duration: length,
    playbackRate: speed,
    position: Math.min(Math.max(0, at), length),
  });
}
