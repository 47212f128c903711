import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { announce, claimMediaSession, type Actions } from '../../../src/playback/media-session';

let handlers: Map<string, (() => void) | null>;
const session = { metadata: null as unknown, playbackState: 'none' };

beforeEach(() => {
  handlers = new Map();
  Object.assign(session, { metadata: null, playbackState: 'none' });
  vi.stubGlobal('navigator', {
    mediaSession: Object.assign(session, {
      setActionHandler: (action: string, handler: (() => void) | null) => void handlers.set(action, handler),
    }),
  });
  vi.stubGlobal(
    'MediaMetadata',
    class {
      constructor(readonly init: object) {}
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

const named = (title: string) => ({ title, album: '', artist: '', cover: null, playing: true });

describe('media keys', () => {
  it('control an open film, and the music again after it', () => {
    const music = { play: vi.fn(), nexttrack: vi.fn() };
    const film: Actions = { play: vi.fn() };
    const quiet = claimMediaSession(music);
    const leave = claimMediaSession(film);
    handlers.get('play')?.();
    expect(music.play).not.toHaveBeenCalled();
    expect(film.play).toHaveBeenCalledOnce();
    expect(handlers.get('nexttrack')).toBeNull();
    announce(music, named('Song'));
    expect(session.metadata).toBeNull();
    leave();
    handlers.get('play')?.();
    handlers.get('nexttrack')?.();
    expect(music.play).toHaveBeenCalledOnce();
    expect(music.nexttrack).toHaveBeenCalledOnce();
    quiet();
    expect(handlers.get('play')).toBeNull();
  });

  it('control the film after the music below it ends', () => {
    const music = { play: vi.fn() };
    const film = { play: vi.fn() };
    const quiet = claimMediaSession(music);
    const leave = claimMediaSession(film);
    quiet();
    handlers.get('play')?.();
    expect(film.play).toHaveBeenCalledOnce();
    leave();
  });
});
