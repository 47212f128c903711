/** The film in the media session of the system. */
import { onMount } from 'svelte';
import {
  announce,
  announcePosition,
  claimMediaSession,
  type Actions,
  type Announced,
} from '../../../playback/media-session';
import type { VideoPlayer } from './player.svelte';

/** Announces a film while its component exists. `film` returns its metadata. */
export function announceFilm(player: VideoPlayer, film: () => Omit<Announced, 'playing'>): void {
  const actions: Actions = {
    play: () => player.play(),
    pause: () => player.pause(),
    stop: () => player.pause(),
    seekbackward: ({ seekOffset }) => player.skip(-(seekOffset ?? 10)),
    seekforward: ({ seekOffset }) => player.skip(seekOffset ?? 10),
    seekto: ({ seekTime }) => seekTime !== undefined && player.seek(seekTime),
    nexttrack: () => player.next(),
  };
  onMount(() => claimMediaSession(actions));
  $effect(() => announce(actions, { ...film(), playing: !player.paused }));
  $effect(() => announcePosition(actions, player.time, player.length, player.speed));
}
