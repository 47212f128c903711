/** The media session of the system: media keys, lock screen, headphones. */
import type { Cover } from '../api/models';
import { sizedUrl } from '../catalogue/cover-size';

export type Actions = Partial<Record<MediaSessionAction, (details: MediaSessionActionDetails) => void>>;

/** Metadata of the current item, as the system shows it. */
export interface Announced {
  title: string;
  album: string;
  artist: string;
  cover: Cover | null;
  playing: boolean;
}

/** The browser has one media session. The latest owner has it, and returns it to the previous one. */
const claims: Actions[] = [];

/** Registers handlers for the media keys. The returned function releases them. */
export function claimMediaSession(actions: Actions): () => void {
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

/** True if this owner has the media keys. */
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
    // This browser does not support the action.
  }
}

/** Sets the metadata, if this owner has the media keys. */
export function announce(actions: Actions, { title, album, artist, cover, playing }: Announced): void {
  if (!('mediaSession' in navigator) || !holds(actions)) return;
  navigator.mediaSession.metadata = new MediaMetadata({
    title,
    album,
    artist,
    artwork: cover ? [{ src: sizedUrl(cover.url, 'medium') }] : [],
  });
  navigator.mediaSession.playbackState = playing ? 'playing' : 'paused';
}

/** Sets the position state of the system. */
export function announcePosition(actions: Actions, at: number, length: number, speed: number): void {
  if (!('mediaSession' in navigator) || !holds(actions) || !(length > 0)) return;
  navigator.mediaSession.setPositionState({
    duration: length,
    playbackRate: speed,
    position: Math.min(Math.max(0, at), length),
  });
}
