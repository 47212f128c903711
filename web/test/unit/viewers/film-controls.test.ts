/** The bars over a film, and the countdown to the next episode. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Bars } from '../../../src/viewers/video/input/bars.svelte';
import { Countdown } from '../../../src/viewers/video/player/countdown.svelte';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function playing() {
  const film = { isHeld: false, isPaused: false, toggle: vi.fn(), fullscreen: vi.fn() };
  const bars = new Bars(film);
  bars.stir();
  const tap = (pointerType: string) => {
    bars.pointerdown({ pointerType });
    bars.click({ detail: 1 });
  };
  return { film, bars, tap };
}

describe('film controls', () => {
  it('hide without input, and show again after input', () => {
    const { bars } = playing();
    vi.advanceTimersByTime(2999);
    expect(bars.shown).toBe(true);
    vi.advanceTimersByTime(1);
    expect(bars.shown).toBe(false);
    bars.pointermove({ pointerType: 'mouse' });
    expect(bars.shown).toBe(true);
  });

  it('stay during a pause', () => {
    const { bars, film } = playing();
    film.isHeld = true;
    vi.advanceTimersByTime(10_000);
    expect(bars.shown).toBe(true);
  });

  it('toggle by a touch, which does not pause the film', () => {
    const { bars, film, tap } = playing();
    tap('touch');
    expect(bars.shown).toBe(false);
    bars.pointermove({ pointerType: 'touch' });
    expect(bars.shown).toBe(false);
    tap('touch');
    expect(bars.shown).toBe(true);
    vi.advanceTimersByTime(1000);
    expect(film.toggle).not.toHaveBeenCalled();
  });

  it('stay after a touch of a paused film', () => {
    const { bars, film, tap } = playing();
    film.isPaused = true;
    tap('touch');
    expect(bars.shown).toBe(true);
  });

  it('pause by a click, and toggle full screen by a double click', () => {
    const { bars, film, tap } = playing();
    tap('mouse');
    expect(film.toggle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(220);
    expect(film.toggle).toHaveBeenCalledTimes(1);
    tap('mouse');
    bars.click({ detail: 2 });
    bars.doubleclick();
    vi.advanceTimersByTime(1000);
    expect(film.toggle).toHaveBeenCalledTimes(1);
    expect(film.fullscreen).toHaveBeenCalledTimes(1);
  });

  it('ignore the last click on a closed film', () => {
    const { bars, film, tap } = playing();
    tap('mouse');
    bars.close();
    vi.advanceTimersByTime(10_000);
    expect(film.toggle).not.toHaveBeenCalled();
    expect(bars.shown).toBe(true);
  });
});

describe('the countdown', () => {
  it('counts the seconds, and ends once', () => {
    const countdown = new Countdown();
    const end = vi.fn();
    countdown.start(2, end);
    expect(countdown.left).toBe(2);
    vi.advanceTimersByTime(1000);
    expect([countdown.left, end.mock.calls.length]).toEqual([1, 0]);
    vi.advanceTimersByTime(5000);
    expect([countdown.left, end.mock.calls.length]).toEqual([null, 1]);
  });

  it('does not end after it is stopped', () => {
    const countdown = new Countdown();
    const end = vi.fn();
    countdown.start(2, end);
    vi.advanceTimersByTime(1000);
    countdown.stop();
    vi.advanceTimersByTime(5000);
    expect([countdown.left, end.mock.calls.length]).toEqual([null, 0]);
  });

  it('starts over from its new length', () => {
    const countdown = new Countdown();
    const [first, second] = [vi.fn(), vi.fn()];
    countdown.start(2, first);
    countdown.start(3, second);
    vi.advanceTimersByTime(2000);
    expect([countdown.left, first.mock.calls.length]).toEqual([1, 0]);
    vi.advanceTimersByTime(1000);
    expect(second).toHaveBeenCalledTimes(1);
  });
});
