/** Buttons as a core reads them, once per frame. */
import { describe, expect, it } from 'vitest';
import { Buttons } from '../../../../src/viewers/game/frame/buttons';

const FRAME = 17;

/** A screen whose frames arrive on command. */
function screen() {
  let time = 0;
  let due: (() => void)[] = [];
  const sent: number[] = [];
  const clock = { now: () => time, nextFrame: (then: () => void) => void due.push(then) };
  const buttons = new Buttons((_player, _button, value) => sent.push(value), clock);
  return {
    sent,
    change: (value: number, button = 8) => buttons.change(0, button, value),
    frames: (count: number, each = FRAME) => {
      for (let n = 0; n < count; n += 1) {
        time += each;
        const now = due;
        due = [];
        for (const then of now) then();
      }
    },
  };
}

describe('button states', () => {
  it('are sent at once', () => {
    const { sent, change, frames } = screen();
    change(1);
    expect(sent).toEqual([1]);
    frames(10);
    change(0);
    expect(sent).toEqual([1, 0]);
  });

  it('stay pressed until a frame has read them', () => {
    const { sent, change, frames } = screen();
    change(1);
    change(0);
    frames(1);
    expect(sent).toEqual([1]);
    frames(2);
    expect(sent).toEqual([1, 0]);
  });

  it('stay pressed for the same time on a fast and a slow screen', () => {
    const { sent, change, frames } = screen();
    change(1);
    change(0);
    frames(5, 7);
    expect(sent).toEqual([1]);
    frames(1, 7);
    expect(sent).toEqual([1, 0]);
  });

  it('separate two taps', () => {
    const { sent, change, frames } = screen();
    for (const value of [1, 0, 1, 0]) change(value);
    frames(20);
    expect(sent).toEqual([1, 0, 1, 0]);
  });

  it('end in the last state, whatever is queued', () => {
    for (const last of [0, 1]) {
      const { sent, change, frames } = screen();
      for (let n = 0; n < 50; n += 1) change(n % 2);
      change(last);
      frames(60);
      expect(sent.at(-1)).toBe(last);
      expect(sent.length).toBeLessThan(8);
    }
  });

  it('send the strength of a stick at once, and its rest after a read', () => {
    const { sent, change, frames } = screen();
    change(100);
    change(200);
    expect(sent).toEqual([100, 200]);
    change(0);
    expect(sent).toEqual([100, 200]);
    frames(3);
    expect(sent).toEqual([100, 200, 0]);
  });

  it('are independent of each other', () => {
    const { sent, change } = screen();
    change(1);
    change(1, 0);
    expect(sent).toEqual([1, 1]);
  });
});
