/** A session whose code is still loading. */
import { beforeEach, expect, it, vi } from 'vitest';
import type { Session as RealSession } from '../../src/playback/decode/session/session';
import { LazySession } from '../../src/playback/decode/session/lazy-session';
import { fakePort } from './fakes';

const { selected, received } = vi.hoisted(() => ({ selected: [] as unknown[], received: [] as unknown[] }));
vi.mock('../../src/playback/decode/session/session', () => ({
  Session: class {
    select(choice: unknown) {
      selected.push(choice);
    }
    constructor(...[, , url, plan, , open]: ConstructorParameters<typeof RealSession>) {
      const port = open?.(
        (message) => received.push(message),
        (...reason) => received.push(reason),
      );
      port?.open(url, plan.name, plan.isSound);
      received.push('constructed');
    }
    close() {}
  },
}));

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

function lazy() {
  const callbacks = { failed: vi.fn(), stalled: vi.fn(), resumed: vi.fn() };
  const port = fakePort();
  const session = new LazySession({} as HTMLMediaElement, null, '/film', plan, callbacks, port.open);
  return { session, ...port };
}

beforeEach(() => {
  selected.length = received.length = 0;
});

it('opens its file while the code is loading, and then gets the messages of the worker', async () => {
  const { sent, state } = lazy();
  expect(sent).toEqual([{ kind: 'open', url: '/film', wasm: 'full', name: 'a' }]);
  state.receive({ kind: 'fetching', isFetching: true });
  state.lose('crashed', 'early');
  await vi.waitFor(() => expect(received).toHaveLength(3));
  expect(received).toEqual(['constructed', { kind: 'fetching', isFetching: true }, ['crashed', 'early']]);
  state.receive({ kind: 'resumed' });
  expect(received.at(-1)).toEqual({ kind: 'resumed' });
  expect(sent).toHaveLength(1);
});

it('ends its worker if it is closed before the code is loaded', async () => {
  const { session, state } = lazy();
  session.close();
  expect(state.isClosed).toBe(true);
  await vi.dynamicImportSettled();
  expect(received).toEqual([]);
});

it('passes on the tracks that were chosen while it loaded', async () => {
  const { session } = lazy();
  session.select({ audio: 1 });
  session.select({ subtitles: [3] });
  await vi.waitFor(() => expect(selected).toEqual([{ audio: 1, subtitles: [3] }]));
  session.select({ audio: 0 });
  expect(selected.at(-1)).toEqual({ audio: 0 });
});
