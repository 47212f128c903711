/** An interrupted film, in an element and with a server under the control of the test. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Callbacks, Plan } from '../../../src/playback/decode/session/session';
import { Film } from '../../../src/viewers/video/film.svelte';
import type { Previews } from '../../../src/viewers/video/preview/previews';

const NETWORK = 2;

/** A media element under the control of the test. */
class Fake extends EventTarget {
  src = '';
  currentTime = 0;
  paused = true;
  videoWidth = 640;
  error: { code: number } | null = null;
  playbackRate = 1;
  defaultPlaybackRate = 1;
  getVideoPlaybackQuality: (() => { totalVideoFrames: number }) | undefined;
  readonly play = vi.fn(async () => void (this.paused = false));
  pause() {
    this.paused = true;
  }
  load() {
    Object.assign(this, {
      currentTime: 0,
      paused: true,
      error: null,
      playbackRate: this.defaultPlaybackRate,
    });
  }
  removeAttribute() {
    this.src = '';
  }
  say(type: string) {
    this.dispatchEvent(new Event(type));
  }
  breakOff() {
    this.error = { code: NETWORK };
    this.say('error');
  }
}

/** A film, and the state of its element as its events report it. A reload sends none. */
function showing(from = 0, sounds: readonly string[] = []) {
  const element = new Fake();
  const now = { time: 0, paused: true, speed: 1 };
  const probe = vi.fn(async () => 206);
  const film = new Film({ probe }, from, () => now);
  const reel = {
    id: 7,
    name: 'film.mp4',
    content_url: '/film',
    container: 'mp4',
    vcodec: 'h264',
    acodec: sounds[0] ?? null,
    width: 640,
    height: 360,
    duration: 60,
    streams: sounds.map((codec, at) => ({
      ...{ type: 'audio', codec, default: at === 0, forced: false, title: null, language: null },
    })),
  };
  const leave = film.play(element as unknown as HTMLVideoElement, reel);
  now.paused = element.paused;
  const arrive = () => {
    element.say('loadedmetadata');
    film.begin();
  };
  const pause = () => {
    element.pause();
    now.paused = true;
  };
  const goTo = (time: number) => (element.currentTime = now.time = time);
  return { element, film, now, probe, leave, arrive, pause, goTo };
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a film starts at its saved position with its speed', () => {
  const { element, film, now, arrive } = showing(40);
  now.speed = 1.5;
  expect([element.src, element.paused, film.begun]).toEqual(['/film', false, false]);
  arrive();
  expect([element.currentTime, element.playbackRate, film.begun]).toEqual([40, 1.5, true]);
});

it('a film that never loaded plays after the server returns', async () => {
  const { element, film, now, probe } = showing();
  probe.mockResolvedValue(0);
  now.paused = element.paused = true;
  element.breakOff();
  await pass(0);
  expect(film.verdict.trouble).toBe('unreachable');
  element.play.mockClear();
  film.resumeAt();
  expect([element.play.mock.calls.length, element.src]).toEqual([1, '/film']);
});

it('metadata of a further source of a running film does not move it back to its start', () => {
  const { element, film, arrive, goTo } = showing(40);
  arrive();
  goTo(55);
  film.begin();
  expect(element.currentTime).toBe(55);
});

it('a broken transfer is resumed once, and the second failure is shown', async () => {
  const { element, film, arrive, goTo } = showing();
  arrive();
  goTo(30);
  element.breakOff();
  await pass(0);
  expect([film.verdict.trouble, film.waiting]).toEqual([null, true]);
  await pass(1000);
  expect([element.src, element.paused, film.begun]).toEqual(['/film', false, false]);
  arrive();
  expect(element.currentTime).toBe(30);
  element.breakOff();
  await pass(10_000);
  expect([film.verdict.trouble, film.waiting]).toEqual(['interrupted', false]);
  expect(element.play).toHaveBeenCalledTimes(2);
});

it('a paused film with a broken transfer does not start before a request', async () => {
  const { element, film, arrive, pause, goTo } = showing();
  arrive();
  goTo(30);
  pause();
  element.breakOff();
  await pass(60_000);
  expect([film.verdict.trouble, element.paused]).toEqual(['interrupted', true]);
  expect(element.play).toHaveBeenCalledOnce();
  film.retry();
  arrive();
  expect([film.verdict.trouble, element.paused, element.currentTime]).toEqual([null, false, 30]);
});

it('a film that was paused during an outage is paused at its position afterwards', async () => {
  const { element, film, probe, arrive, pause, goTo } = showing();
  arrive();
  goTo(30);
  pause();
  probe.mockResolvedValue(0);
  element.breakOff();
  await pass(12_000);
  expect(film.verdict.trouble).toBe('unreachable');
  probe.mockResolvedValue(206);
  await pass(5000);
  arrive();
  expect([film.verdict.trouble, element.src, element.currentTime]).toEqual([null, '/film', 30]);
  expect([element.paused, film.waiting]).toEqual([true, false]);
});

it('a film that played during an outage resumes by itself', async () => {
  const { element, film, probe, arrive, goTo } = showing();
  arrive();
  goTo(30);
  probe.mockResolvedValue(0);
  element.breakOff();
  await pass(0);
  expect(film.verdict.trouble).toBe('unreachable');
  probe.mockResolvedValue(206);
  await pass(5000);
  arrive();
  expect([film.verdict.trouble, element.paused, element.currentTime]).toEqual([null, false, 30]);
});

it('a closed film is not loaded again', async () => {
  for (const status of [206, 0]) {
    const { element, probe, leave, arrive } = showing();
    arrive();
    probe.mockResolvedValue(status);
    element.breakOff();
    await pass(100);
    leave();
    probe.mockResolvedValue(206);
    await pass(60_000);
    expect([element.src, element.play.mock.calls.length, probe.mock.calls.length]).toEqual(['', 1, 1]);
  }
});

it('a closed film closes the previews of its timeline', () => {
  const { film, leave } = showing();
  const close = vi.fn();
  film.previews = { close } as unknown as Previews;
  leave();
  expect(close).toHaveBeenCalledOnce();
  expect(film.previews).toBeNull();
});

const sessions: { url: string; plan: Plan; callbacks: Callbacks; close: () => void }[] = [];

vi.mock('../../../src/playback/decode/session/lazy-session', () => ({
  LazySession: class {
    close = vi.fn();
    constructor(_: unknown, __: unknown, url: string, plan: Plan, callbacks: Callbacks) {
      sessions.push({ url, plan, callbacks, close: this.close });
    }
  },
}));

describe('in a browser with media sources', () => {
  beforeEach(() => {
    sessions.length = 0;
    vi.stubGlobal('MediaSource', class {});
    Object.assign(MediaSource, { isTypeSupported: () => true });
  });

  it('without a picture is played in the next way at the same second', async () => {
    const { element, film, arrive, goTo } = showing();
    arrive();
    goTo(30);
    element.getVideoPlaybackQuality = () => ({ totalVideoFrames: 0 });
    element.say('playing');
    await pass(1600);
    expect(sessions.map(({ plan }) => [plan.at, plan.passesVideo])).toEqual([[30, true]]);
    expect([film.decision.way, film.verdict.trouble, element.src]).toEqual(['transmux', null, '']);
    sessions[0]?.callbacks.failed('damaged', '');
    expect([film.decision.way, film.isDrawn, sessions[1]?.plan.at]).toEqual(['decode', true, 30]);
    expect(sessions[0]?.close).toHaveBeenCalledOnce();
    sessions[1]?.callbacks.failed('damaged', '');
    expect([film.verdict.trouble, sessions.length]).toEqual(['damaged', 2]);
  });

  it('keeps its way while the decoder does not load', async () => {
    const { film } = showing();
    film.choose('transmux');
    sessions[0]?.callbacks.failed('unloaded', '');
    expect([film.decision.way, film.verdict.trouble]).toEqual(['transmux', 'unloaded']);
    await pass(2100);
    expect([film.decision.way, film.verdict.trouble, sessions.length]).toEqual(['transmux', null, 2]);
  });

  it('plays the selected track in the way of the browser, or says that it plays the first', () => {
    const { element, film, arrive } = showing(0, ['aac', 'aac']);
    arrive();
    film.chooseAudio(1);
    expect([film.decision.way, film.audio, film.isFirstTrack]).toEqual(['transmux', 1, false]);
    film.choose('native');
    arrive();
    expect([film.decision.way, film.audio, film.isFirstTrack]).toEqual(['native', 0, true]);
    // The later choice counts.
    film.chooseAudio(1);
    expect([film.decision.way, film.audio, film.isFirstTrack]).toEqual(['transmux', 1, false]);
    const audioTracks = [{ enabled: true }, { enabled: false }];
    Object.assign(element, { audioTracks });
    film.choose('native');
    arrive();
    const enabled = () => audioTracks.map((track) => track.enabled);
    expect([film.decision.way, film.audio, film.isFirstTrack]).toEqual(['native', 1, false]);
    expect(enabled()).toEqual([false, true]);
    film.chooseAudio(0);
    expect([film.decision.way, film.audio, enabled()]).toEqual(['native', 0, [true, false]]);
  });

  it('leaves the way of the browser for a track that the browser offers but cannot decode', () => {
    const { element, film, arrive } = showing(0, ['aac', 'dts']);
    Object.assign(element, { audioTracks: [{ enabled: true }, { enabled: false }] });
    film.choose('native');
    arrive();
    film.chooseAudio(1);
    expect(film.decision.way).toBe('transmux');
  });

  it('continues while data is left during an outage, and is unreachable without data', () => {
    vi.stubGlobal('HTMLMediaElement', { HAVE_FUTURE_DATA: 3 });
    const { element, film, arrive } = showing();
    film.choose('transmux');
    arrive();
    film.waiting = false;
    Object.assign(element, { readyState: 4 });
    sessions[0]?.callbacks.stalled(8);
    sessions[0]?.callbacks.resumed();
    expect([film.verdict.trouble, film.waiting]).toEqual([null, false]);
    Object.assign(element, { readyState: 2 });
    sessions[0]?.callbacks.stalled(8);
    expect(film.verdict.trouble).toBe('unreachable');
  });

  it('that is rejected is played in the next way', async () => {
    const { element, film } = showing();
    element.error = { code: 4 };
    element.say('error');
    await pass(0);
    expect([film.decision.way, film.verdict.trouble, sessions.length]).toEqual(['transmux', null, 1]);
  });

  it('that the user wants decoded stays so however slow it is, and its sound plays alone', async () => {
    const { film, arrive } = showing();
    film.choose('transmux');
    arrive();
    film.choose(null);
    film.choose('decode');
    sessions.at(-1)?.callbacks.measured?.('h264', 10, 100);
    expect(film.verdict.trouble).toBeNull();
    film.playSound();
    expect([film.decision.audioOnly, film.isDrawn, sessions.at(-1)?.plan.video]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

it('a decoded film that ends long before its length is damaged, not finished', () => {
  const { film } = showing();
  expect(film.isCutShort(20)).toBe(false); // the browser's own end
  film.decision = { way: 'decode', reason: { kind: 'chosen' } };
  expect(film.isCutShort(20)).toBe(true);
  expect(film.isCutShort(58)).toBe(false);
  film.reportDamage();
  expect(film.verdict.trouble).toBe('damaged');
});
