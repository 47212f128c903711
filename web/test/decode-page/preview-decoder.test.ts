/** Pictures of the preview from a worker that answers late, or not at all. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { fakePort, stream } from './fakes';
import type { Picture } from '../../src/playback/decode/protocol';
import { DecoderSource } from '../../src/viewers/video/preview/decoder';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => null }) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** A source whose file is open. `answer` sends the picture of a request, which took `busy` milliseconds. */
function opened() {
  const port = fakePort();
  const source = new DecoderSource('/film', 'film.avi', port.open);
  const contents = { format: 'avi', duration: 60, streams: [stream(0, 'video')], chapters: [] };
  port.state.receive({ kind: 'opened', contents });
  const answer = (request: number, busy: number) => {
    const id = port.sent.filter((message) => message.kind === 'still')[request]?.id ?? 0;
    port.state.receive({ kind: 'still', id, picture: {} as Picture, busy });
  };
  return { ...port, source, answer };
}

it('an answer after the time of its request is not that of the next one', async () => {
  const { source, answer } = opened();
  const first = source.take(5);
  await vi.advanceTimersByTimeAsync(9000);
  expect(await first).toBeNull();
  const second = source.take(50);
  await vi.advanceTimersByTimeAsync(0);
  answer(0, 8500);
  answer(1, 20);
  expect((await second)?.cost).toBe(20);
});

it('a worker that is lost, or closed, ends a request', async () => {
  for (const end of ['lose', 'close'] as const) {
    const { source, state } = opened();
    const taken = source.take(5);
    await vi.advanceTimersByTimeAsync(0);
    if (end === 'lose') state.lose('crashed', '');
    else source.close();
    expect(await taken).toBeNull();
  }
});
