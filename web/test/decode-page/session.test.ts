/** A decoded file in an element, a media source and a worker under the control of the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Session, type Callbacks, type Plan } from '../../src/playback/decode/session/session';
import type { Contents, Picture, Stream } from '../../src/playback/decode/protocol';
import { silence } from '../../src/playback/decode/source/silence';
import { fakePort, FakeElement, FakeRanges, FakeSource, stream } from './fakes';

const AVC = 'video/mp4; codecs="avc1.640028"';
const h264 = stream(0, 'video', { mime: AVC });
const ac3 = stream(1, 'audio');
const mp3 = stream(1, 'audio', { codec: 'mp3', mime: 'audio/mpeg' });

const NO_PICTURE = { video: false, passesVideo: false, subtitles: [] };

const settle = () => vi.advanceTimersByTimeAsync(0);
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

function contents(...streams: Stream[]): Contents {
  return { format: 'matroska', duration: 120, streams, chapters: [] };
}

/** Contents of the object URLs: `blob:1` is the first one. */
let urls: { object: unknown; isRevoked: boolean }[] = [];
const openUrls = () => urls.filter(({ isRevoked }) => !isRevoked).length;

async function opened(
  streams: Stream[],
  plan: Partial<Plan> = {},
  duration: number | null = 120,
  isOpen = true,
) {
  const element = new FakeElement();
  const canvas = Object.assign(new EventTarget(), { getContext: () => null });
  const port = fakePort();
  const callbacks = {
    failed: vi.fn<Callbacks['failed']>(),
    stalled: vi.fn<Callbacks['stalled']>(),
    resumed: vi.fn<Callbacks['resumed']>(),
    mute: vi.fn(),
    measured: vi.fn(),
  };
  const whole: Plan = {
    name: 'film.mkv',
    at: 0,
    duration: 120,
    isSound: false,
    audio: null,
    video: true,
    passesVideo: true,
    subtitles: [],
    ...plan,
  };
  const session = new Session(
    element as unknown as HTMLMediaElement,
    canvas as unknown as HTMLCanvasElement,
    '/api/v1/files/7/content',
    whole,
    callbacks,
    port.open,
  );
  if (isOpen) port.state.receive({ kind: 'opened', contents: { ...contents(...streams), duration } });
  FakeSource.last?.open();
  await settle();
  const source = FakeSource.last as FakeSource;
  const bytes = (run: number, lane: 'video' | 'audio', size: number) =>
    port.state.receive({ kind: 'bytes', run, lane, data: new ArrayBuffer(size) });
  return { element, session, source, callbacks, bytes, ...port };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('MediaSource', FakeSource);
  vi.stubGlobal('document', { hidden: false });
  urls = [];
  vi.stubGlobal('URL', {
    createObjectURL: (object: unknown) => `blob:${urls.push({ object, isRevoked: false })}`,
    revokeObjectURL: (url: string) => {
      const one = urls[Number(url.slice(5)) - 1];
      if (one) one.isRevoked = true;
    },
  });
  vi.stubGlobal('requestAnimationFrame', () => 0);
  vi.stubGlobal('cancelAnimationFrame', () => {});
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('session', () => {
  it('passable_video_is_copied_and_other_sound_is_decoded', async () => {
    const { source, starts } = await opened([h264, ac3]);
    expect(source.buffers.map(({ mime }) => mime)).toEqual([AVC, 'audio/mp4; codecs="flac"']);
    expect(source.duration).toBe(120);
    expect(starts()).toEqual([
      {
        kind: 'start',
        run: 1,
        at: 0,
        video: { stream: 0, method: 'copy' },
        audio: { stream: 1, method: 'decode' },
        subtitles: [],
      },
    ]);
  });

  it('mp3_has_its_own_lane', async () => {
    const { source } = await opened([h264, mp3]);
    expect(source.buffers.map(({ mime }) => mime)).toEqual([AVC, 'audio/mpeg']);
  });

  it('bytes_are_appended_at_the_offset_of_their_run', async () => {
    const { source, state, bytes } = await opened([h264, ac3]);
    state.receive({ kind: 'lane', run: 1, lane: 'video', mime: AVC, offset: 10 });
    bytes(1, 'video', 5);
    expect(source.buffers[0]?.log).toEqual(['append 5 at -10']);
    bytes(9, 'video', 6);
    source.buffers[0]?.finish();
    expect(source.buffers[0]?.log).toHaveLength(1);
  });

  it('seek_outside_the_buffer_starts_a_run_there', async () => {
    const { element, source, starts, state } = await opened([h264, ac3]);
    await pass(1000);
    element.seek(60);
    await pass(200);
    expect(starts().map(({ run, at }) => [run, at])).toEqual([
      [1, 0],
      [2, 60],
    ]);
    for (const buffer of source.buffers) expect(buffer.log).toEqual(['abort', 'remove 0-Infinity']);
    state.receive({ kind: 'lane', run: 2, lane: 'video', mime: AVC, offset: 10 });
  });

  it('seek_inside_the_buffer_starts_none', async () => {
    const { element, starts } = await opened([h264, ac3]);
    element.buffered = new FakeRanges([[0, 20]]);
    await pass(1000);
    element.seek(15);
    await pass(500);
    expect(starts()).toHaveLength(1);
  });

  it('dragging_the_slider_starts_few_runs', async () => {
    const { element, starts } = await opened([h264, ac3]);
    await pass(1000);
    for (let at = 30; at < 90; at += 1) {
      element.seek(at);
      await pass(5);
    }
    await pass(500);
    expect(starts().length).toBeLessThan(6);
    expect(starts().at(-1)?.at).toBe(89);
  });

  it('element_seeks_to_the_start_of_its_run_without_a_second_run', async () => {
    const { element, starts } = await opened([h264, ac3], { at: 40 });
    expect(starts()[0]?.at).toBe(40);
    element.seek(40);
    await pass(500);
    expect(starts()).toHaveLength(1);
  });

  it('position_before_the_first_bytes_is_nudged_to_them', async () => {
    const { element, starts } = await opened([h264, ac3]);
    element.readyState = 1;
    element.buffered = new FakeRanges([[0.08, 12]]);
    await pass(150);
    expect(element.currentTime).toBeCloseTo(0.081, 3);
    element.seek(element.currentTime);
    await pass(500);
    expect(starts()).toHaveLength(1);
  });

  it('source_ends_when_the_run_is_complete_and_appended', async () => {
    const { element, source, state, bytes } = await opened([h264, ac3]);
    bytes(1, 'audio', 2);
    source.buffers[1]?.finish();
    bytes(1, 'video', 5);
    state.receive({ kind: 'end', run: 1 });
    await pass(300);
    expect(source.readyState).toBe('open');
    source.buffers[0]?.finish();
    await pass(200);
    expect(source.readyState).toBe('ended');
    // An ended source refuses to abort, and has nothing to abort.
    element.seek(60);
    await pass(500);
    expect(source.buffers[0]?.log.slice(1)).toEqual(['remove 0-Infinity']);
  });

  it('other_sound_track_starts_a_run_at_the_same_position', async () => {
    const { element, session, starts } = await opened([h264, ac3, stream(2, 'audio')]);
    element.currentTime = 33;
    session.select({ audio: 1 });
    expect(starts().at(-1)).toMatchObject({ run: 2, at: 33, audio: { stream: 2 } });
  });

  it('sound_track_of_a_film_without_playable_sound_gets_its_lane_at_the_same_position_and_speed', async () => {
    const tracks = [stream(1, 'audio', { decodable: false }), stream(2, 'audio')];
    const { element, session, source, callbacks, starts } = await opened([h264, ...tracks], { audio: 0 });
    expect(source.buffers.map(({ mime }) => mime)).toEqual([AVC]);
    expect(callbacks.mute).toHaveBeenLastCalledWith(true);
    Object.assign(element, { readyState: 4, currentTime: 33, playbackRate: 1.5 });
    session.select({ audio: 1 });
    Object.assign(element, { readyState: 0, currentTime: 0 });
    FakeSource.last?.open();
    await settle();
    expect(FakeSource.last?.buffers.map(({ mime }) => mime)).toEqual([AVC, 'audio/mp4; codecs="flac"']);
    expect(starts().at(-1)).toMatchObject({ run: 2, at: 33, audio: { stream: 2 } });
    expect(callbacks.mute).toHaveBeenLastCalledWith(false);
    element.readyState = 1;
    element.dispatchEvent(new Event('loadedmetadata'));
    expect([element.currentTime, element.defaultPlaybackRate]).toEqual([33, 1.5]);
  });

  it('undecodable_sound_track_loses_its_lane_and_is_reported', async () => {
    const { session, source, callbacks, starts } = await opened([
      h264,
      ac3,
      stream(2, 'audio', { decodable: false }),
    ]);
    session.select({ audio: 1 });
    expect(FakeSource.last).not.toBe(source);
    FakeSource.last?.open();
    await settle();
    expect(FakeSource.last?.buffers.map(({ mime }) => mime)).toEqual([AVC]);
    expect(starts().at(-1)).toMatchObject({ run: 2, audio: null });
    expect(callbacks.mute).toHaveBeenLastCalledWith(true);
  });

  it('undecodable_sound_track_without_a_picture_fails', async () => {
    const { session, callbacks } = await opened([h264, ac3, stream(2, 'audio', { decodable: false })], {
      video: false,
    });
    session.select({ audio: 1 });
    expect(callbacks.failed).toHaveBeenCalledExactlyOnceWith('unsupported', 'h264, ac3, ac3');
    session.select({ audio: 0 });
  });

  it('undecodable_sound_is_reported_and_the_picture_plays', async () => {
    const { callbacks, starts } = await opened([h264, stream(1, 'audio', { decodable: false })]);
    expect(callbacks.mute).toHaveBeenCalledOnce();
    expect(starts()[0]).toMatchObject({ audio: null, video: { method: 'copy' } });
  });

  it('sound_that_yields_nothing_is_dropped_so_that_the_picture_plays', async () => {
    const { source, callbacks, starts } = await opened([h264, ac3]);
    const [video] = source.buffers;
    if (video) video.buffered = new FakeRanges([[0, 20]]);
    await pass(2500);
    expect(FakeSource.last).toBe(source);
    await pass(1000);
    expect(FakeSource.last).not.toBe(source);
    FakeSource.last?.open();
    await settle();
    expect(FakeSource.last?.buffers.map(({ mime }) => mime)).toEqual([AVC]);
    expect(starts().at(-1)).toMatchObject({ run: 2, at: 0, audio: null });
    expect(callbacks.mute).toHaveBeenCalledOnce();
  });

  it('late_sound_is_not_dropped', async () => {
    const { source, bytes } = await opened([h264, ac3]);
    const [video] = source.buffers;
    bytes(1, 'audio', 3);
    if (video) video.buffered = new FakeRanges([[0, 20]]);
    await pass(10_000);
    expect(source.buffers).toHaveLength(2);
  });

  it('undecodable_picture_fails', async () => {
    const { callbacks } = await opened([stream(0, 'video', { codec: 'vvc', decodable: false }), ac3]);
    expect(callbacks.failed).toHaveBeenCalledWith('unsupported', 'vvc, ac3');
  });

  it('file_without_streams_is_empty', async () => {
    const { callbacks } = await opened([]);
    expect(callbacks.failed).toHaveBeenCalledWith('empty', 'the file contains no streams');
  });

  it('sound_plays_without_a_picture_that_is_not_wanted', async () => {
    const { source, starts } = await opened([h264, ac3], { video: false });
    expect(source.buffers).toHaveLength(1);
    expect(starts()[0]).toMatchObject({ video: null, audio: { stream: 1 } });
  });

  it('worker_without_progress_is_ended_and_reported_once', async () => {
    const { callbacks, state } = await opened([h264, ac3]);
    await pass(9800);
    expect(callbacks.failed).not.toHaveBeenCalled();
    await pass(400);
    expect(callbacks.failed).toHaveBeenCalledExactlyOnceWith('crashed', 'no progress');
    expect(state.isClosed).toBe(true);
  });

  it('worker_that_waits_for_a_request_has_longer', async () => {
    const { callbacks, state } = await opened([h264, ac3]);
    state.receive({ kind: 'fetching', isFetching: true });
    await pass(44_000);
    state.receive({ kind: 'fetching', isFetching: false });
    await pass(9800);
    expect(callbacks.failed).not.toHaveBeenCalled();
    await pass(400);
    expect(callbacks.failed).toHaveBeenCalledOnce();
  });

  it('worker_whose_script_is_fetched_has_longer', async () => {
    const { callbacks, state } = await opened([h264, ac3], {}, 120, false);
    await pass(44_000);
    expect(callbacks.failed).not.toHaveBeenCalled();
    await pass(2000);
    expect(callbacks.failed).toHaveBeenCalledOnce();
    expect(state.isClosed).toBe(true);
  });

  it('worker_is_not_ended_because_the_page_was_suspended', async () => {
    const { callbacks } = await opened([h264, ac3]);
    const real = performance.now.bind(performance);
    await pass(5000);
    vi.spyOn(performance, 'now').mockImplementation(() => real() + 3_600_000);
    await pass(3000);
    expect(callbacks.failed).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('worker_that_does_not_start_is_reported_as_not_loaded', async () => {
    const { callbacks, state } = await opened([h264, ac3]);
    state.lose('unloaded', 'the worker did not start');
    expect(callbacks.failed).toHaveBeenCalledExactlyOnceWith('unloaded', 'the worker did not start');
  });

  it('worker_that_waits_for_the_server_is_not_ended', async () => {
    const { callbacks, state } = await opened([h264, ac3]);
    state.receive({ kind: 'stalled', seconds: 2 });
    await pass(120_000);
    expect(callbacks.failed).not.toHaveBeenCalled();
    expect(callbacks.stalled).toHaveBeenCalledWith(2);
    state.receive({ kind: 'resumed' });
    expect(callbacks.resumed).toHaveBeenCalledOnce();
  });

  it('object_urls_and_airplay_are_released_after_the_source_is_open_or_the_session_closed', async () => {
    const element = Object.assign(new FakeElement(), { disableRemotePlayback: false });
    const start = () =>
      new Session(
        element as unknown as HTMLMediaElement,
        null,
        '/film',
        { ...{ name: '', at: 0, duration: 9, isSound: true, audio: null }, ...NO_PICTURE },
        { failed: vi.fn(), stalled: vi.fn(), resumed: vi.fn() },
        fakePort().open,
      );
    const quick = start();
    expect([openUrls(), element.disableRemotePlayback]).toEqual([1, true]);
    // The user goes on before the source is open.
    quick.close();
    expect([openUrls(), element.disableRemotePlayback]).toEqual([0, false]);
    const slow = start();
    FakeSource.last?.open();
    expect([openUrls(), element.disableRemotePlayback]).toEqual([0, true]);
    slow.close();
    expect(element.disableRemotePlayback).toBe(false);
    Object.assign(element, { disableRemotePlayback: true });
    start().close();
    expect(element.disableRemotePlayback).toBe(true);
  });

  it('silent_film_of_unknown_length_ends_after_its_last_picture', async () => {
    const silent = stream(0, 'video', { codec: 'mpeg4' });
    const { element, session, state, starts } = await opened([silent], { duration: null }, null);
    const lengthOf = (url: string) => (urls[Number(url.slice(5)) - 1]?.object as Blob).size;
    const long = lengthOf(element.src);
    Object.assign(element, { readyState: 4, currentTime: 19.5 });
    for (const time of [19.5, 19.96])
      state.receive({ kind: 'picture', run: 1, picture: { time } as Picture });
    await pass(300);
    expect(lengthOf(element.src)).toBe(long);
    state.receive({ kind: 'end', run: 1 });
    await pass(100);
    expect(lengthOf(element.src)).toBe(silence(20).size);
    element.dispatchEvent(new Event('loadedmetadata'));
    element.seek(19.5);
    const { src } = element;
    await pass(1000);
    expect([element.src, element.currentTime, starts().length]).toEqual([src, 19.5, 1]);
    expect(openUrls()).toBe(1);
    session.close();
    expect(openUrls()).toBe(0);
  });

  it('silent_film_with_its_stated_length_keeps_its_clock', async () => {
    const { element, state } = await opened([stream(0, 'video', { codec: 'mpeg4' })]);
    const { src } = element;
    state.receive({ kind: 'picture', run: 1, picture: { time: 119.96 } as Picture });
    state.receive({ kind: 'end', run: 1 });
    await pass(300);
    expect(element.src).toBe(src);
  });

  it('closed_session_ends_its_worker_and_reports_nothing', async () => {
    const { callbacks, session, state, sent } = await opened([h264, ac3]);
    session.close();
    const count = sent.length;
    state.receive({ kind: 'failed', reason: 'damaged', detail: '' });
    await pass(20_000);
    expect([state.isClosed, sent.length]).toEqual([true, count]);
    expect(callbacks.failed).not.toHaveBeenCalled();
  });

  it('position_is_reported_ten_times_a_second', async () => {
    const { element, sent } = await opened([h264, ac3], { at: 40 });
    await pass(1000);
    const clocks = sent.filter((message) => message.kind === 'clock');
    expect(clocks).toHaveLength(10);
    // The element is at 0 until it has data.
    expect(clocks[0]).toMatchObject({ run: 1, time: 40, waiting: 0, hidden: false });
    element.readyState = 4;
    element.currentTime = 42;
    await pass(100);
    expect(sent.at(-1)).toMatchObject({ time: 42 });
  });
});
