import { beforeEach, describe, expect, it } from 'vitest';
import { Watchdog, type MediaLike, type Subject, type Verdict } from '../../../src/playback/watchdog';

class FakeElement implements MediaLike {
  videoWidth: number | undefined = 0;
  paused = false;
  error: { code: number } | null = null;
  webkitAudioDecodedByteCount: number | undefined;
  mozHasAudio: boolean | undefined;
  audioTracks: { length: number } | undefined;
  readonly #listeners = new Map<string, Set<() => void>>();

  pause() {
    this.paused = true;
  }
  addEventListener(type: string, listener: () => void) {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }
  removeEventListener(type: string, listener: () => void) {
    this.#listeners.get(type)?.delete(listener);
  }
  fire(type: string) {
    for (const listener of [...(this.#listeners.get(type) ?? [])]) listener();
  }
  get listening() {
    return [...this.#listeners.values()].reduce((sum, set) => sum + set.size, 0);
  }
}

/** A clock under the control of the test. */
class FakeClock {
  #now = 0;
  #serial = 0;
  readonly #timers = new Map<number, { at: number; callback: () => void }>();
  set = (callback: () => void, milliseconds: number) => {
    this.#serial += 1;
    this.#timers.set(this.#serial, { at: this.#now + milliseconds, callback });
    return this.#serial;
  };
  clear = (timer: number) => void this.#timers.delete(timer);
  pass(milliseconds: number) {
    this.#now += milliseconds;
    for (const [id, timer] of [...this.#timers]) {
      if (timer.at > this.#now) continue;
      this.#timers.delete(id);
      timer.callback();
    }
  }
}

let element: FakeElement;
let clock: FakeClock;
let verdict: Verdict | null;
let status: number;

function watch(subject: Subject): Watchdog {
  const dog = new Watchdog(
    element,
    subject,
    async () => status,
    (next) => (verdict = next),
    clock,
  );
  dog.start();
  return dog;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(() => {
  element = new FakeElement();
  clock = new FakeClock();
  verdict = null;
  status = 206;
});

const film: Subject = { vcodec: 'h264', acodec: 'aac' };

describe('Watchdog', () => {
  it('is silent while a film plays', () => {
    watch(film);
    element.videoWidth = 1920;
    element.webkitAudioDecodedByteCount = 4000;
    element.fire('loadedmetadata');
    element.fire('playing');
    clock.pass(10_000);
    expect(verdict).toEqual({ trouble: null, mute: false });
  });

  it('reports after 2.5 seconds without an event', () => {
    watch(film);
    clock.pass(2499);
    expect(verdict).toBeNull();
    clock.pass(1);
    expect(verdict?.trouble).toBe('silence');
  });

  it.each(['progress', 'durationchange'])('accepts %s as a first event', (sign) => {
    watch(film);
    element.fire(sign);
    clock.pass(60_000);
    expect(verdict).toBeNull();
  });

  it('withdraws the message when metadata arrives late', () => {
    watch(film);
    clock.pass(2500);
    element.videoWidth = 640;
    element.fire('loadedmetadata');
    expect(verdict?.trouble).toBeNull();
  });

  it('stops a film whose picture the browser does not show', () => {
    watch({ vcodec: 'hevc', acodec: 'aac' });
    element.fire('loadedmetadata');
    expect(verdict?.trouble).toBe('no-picture');
    expect(element.paused).toBe(true);
  });

  it('expects no picture of an audio file', () => {
    watch({ vcodec: null, acodec: 'aac' });
    element.fire('loadedmetadata');
    expect(verdict).toBeNull();
  });

  it.each([
    [206, 'refused'],
    [200, 'refused'],
    [401, 'session'],
    [404, 'missing'],
    [503, 'unreachable'],
    [0, 'unreachable'],
  ])('requests the reason from the server: %i means %s', async (answer, trouble) => {
    status = answer;
    watch(film);
    element.fire('error');
    await settle();
    expect(verdict?.trouble).toBe(trouble);
    clock.pass(10_000);
    expect(verdict?.trouble).toBe(trouble);
  });

  it.each([
    ['webkitAudioDecodedByteCount', 0, true],
    ['webkitAudioDecodedByteCount', 900, false],
    ['mozHasAudio', false, true],
    ['mozHasAudio', true, false],
    ['audioTracks', { length: 0 }, true],
    ['audioTracks', { length: 1 }, false],
  ])('detects audio by %s of %o', (property, value, mute) => {
    Object.assign(element, { videoWidth: 640, [property]: value });
    watch({ vcodec: 'h264', acodec: 'ac3' });
    element.fire('loadedmetadata');
    element.fire('playing');
    clock.pass(1500);
    expect(verdict).toEqual({ trouble: null, mute });
    expect(element.paused).toBe(false);
  });

  it('ignores the audio of a film that was paused meanwhile', () => {
    element.webkitAudioDecodedByteCount = 0;
    watch(film);
    element.fire('playing');
    element.paused = true;
    clock.pass(1500);
    expect(verdict).toBeNull();
  });

  it('expects no audio of a silent film', () => {
    element.webkitAudioDecodedByteCount = 0;
    watch({ vcodec: 'h264', acodec: null });
    element.fire('playing');
    clock.pass(5000);
    expect(verdict).toBeNull();
  });

  it('is silent after it is stopped, also for a pending request', async () => {
    const dog = watch(film);
    element.fire('error');
    dog.stop();
    await settle();
    clock.pass(10_000);
    expect(verdict).toBeNull();
    expect(element.listening).toBe(0);
  });

  it('reports an interrupted transfer as such, not as an unsupported format', async () => {
    watch(film);
    element.videoWidth = 1920;
    element.fire('loadedmetadata');
    element.error = { code: 2 };
    element.fire('error');
    await settle();
    expect(verdict?.trouble).toBe('interrupted');
  });

  it('does not report an unsupported format after playback has started', async () => {
    watch(film);
    element.videoWidth = 1920;
    element.fire('loadedmetadata');
    element.fire('playing');
    element.error = { code: 3 };
    element.fire('error');
    await settle();
    expect(verdict?.trouble).toBe('interrupted');
  });

  it('reports an unsupported format if the first picture cannot be decoded', async () => {
    watch(film);
    element.videoWidth = 1920;
    element.fire('loadedmetadata');
    element.error = { code: 3 };
    element.fire('error');
    await settle();
    expect(verdict?.trouble).toBe('refused');
  });
});
