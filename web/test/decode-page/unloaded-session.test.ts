/** A session whose code does not load. */
import { expect, it, vi } from 'vitest';
import { LazySession } from '../../src/playback/decode/session/lazy-session';
import { fakePort } from './fakes';

vi.mock('../../src/playback/decode/session/session', () => {
  throw new Error('the chunk is missing');
});

it('is reported as not loaded', async () => {
  const plan = { name: 'a', at: 0, duration: 1, isSound: false, audio: null, video: true };
  const failed = vi.fn();
  const callbacks = { failed, stalled: vi.fn(), resumed: vi.fn() };
  const whole = { ...plan, passesVideo: true, subtitles: [] };
  const { open, state } = fakePort();
  expect(new LazySession({} as HTMLMediaElement, null, '/film', whole, callbacks, open)).toBeDefined();
  await vi.waitFor(() => expect(failed).toHaveBeenCalledOnce());
  expect(failed).toHaveBeenCalledWith('unloaded', expect.stringContaining('Error'));
  expect(state.isClosed).toBe(true);
});
