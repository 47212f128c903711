/** The preparation of a next file that cannot be decoded. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { MediaFile } from '../../../src/api/models';
import type { Callbacks } from '../../../src/playback/decode/session/session';
import { SoundPair } from '../../../src/playback/elements/sound-pair';

const sessions = vi.hoisted(() => [] as { callbacks: Callbacks }[]);
vi.mock('../../../src/playback/decode/session/lazy-session', () => ({
  LazySession: class {
    close = vi.fn();
    constructor(_: unknown, __: unknown, ___: string, ____: unknown, callbacks: Callbacks) {
      sessions.push({ callbacks });
    }
  },
}));
vi.mock('../../../src/playback/decode/decision', () => ({ decide: () => ({ way: 'decode' }) }));

beforeEach(() => void (sessions.length = 0));

function element() {
  const attributes = { pause: vi.fn(), load: vi.fn(), removeAttribute: vi.fn(), hasAttribute: () => false };
  return Object.assign(new EventTarget(), attributes, {
    error: null,
    readyState: 0,
  }) as unknown as HTMLAudioElement;
}

it('is not prepared again after it failed, and is loaded when it is due', () => {
  const report = vi.fn();
  const pair = new SoundPair([element(), element()], report);
  const next = { id: 4, name: 'a.wma', content_url: '/a', duration: 9, vcodec: null } as MediaFile;
  pair.prepareFile(next);
  sessions[0]?.callbacks.failed('damaged', '');
  for (let tick = 0; tick < 5; tick += 1) pair.prepareFile(next);
  expect(sessions).toHaveLength(1);
  expect(report).not.toHaveBeenCalled();
  pair.putFile(next, 0);
  expect(sessions).toHaveLength(2);
  sessions[1]?.callbacks.failed('damaged', '');
  expect(report).toHaveBeenCalledWith({ trouble: 'damaged' });
});
