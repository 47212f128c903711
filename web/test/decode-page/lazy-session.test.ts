/** A session whose code is still loading. */
import { expect, it, vi } from 'vitest';
import { LazySession } from '../../src/playback/decode/session/lazy-session';

const selected = vi.hoisted(() => [] as unknown[]);
vi.mock('../../src/playback/decode/session/session', () => ({
  Session: class {
    select(choice: unknown) {
      selected.push(choice);
    }
    close() {}
  },
}));

it('passes on the tracks that were chosen while it loaded', async () => {
  const plan = {
    audio: null,
    video: true,
    passesVideo: true,
    subtitles: [],
    name: 'a',
    at: 0,
    duration: 1,
    isSound: false,
  };
  const callbacks = { failed: vi.fn(), stalled: vi.fn(), resumed: vi.fn() };
  const session = new LazySession({} as HTMLMediaElement, null, '/film', plan, callbacks);
  session.select({ audio: 1 });
  session.select({ subtitles: [3] });
  await vi.waitFor(() => expect(selected).toEqual([{ audio: 1, subtitles: [3] }]));
  session.select({ audio: 0 });
  expect(selected.at(-1)).toEqual({ audio: 0 });
});
