/** The gestures and the keys of the video player. */
import { describe, expect, it, vi } from 'vitest';
import { Gestures } from '../../../src/viewers/video/input/gestures';
import { GROUPS } from '../../../src/viewers/video/input/keys';

const BOX = { left: 0, width: 400, height: 800 };

function finger(volumeWorks = true) {
  const target = { time: 100, length: 1000, volume: 0.5, skip: vi.fn(), seek: vi.fn(), setVolume: vi.fn() };
  const onpreview = vi.fn();
  const gestures = new Gestures(target, () => volumeWorks, onpreview);
  const touch = (clientX: number, clientY: number, timeStamp: number, pointerId = 1) => ({
    ...{ pointerId, pointerType: 'touch', clientX, clientY, timeStamp },
  });
  const tap = (x: number, at: number) => {
    gestures.down(touch(x, 100, at), BOX);
    gestures.up(touch(x, 100, at + 50));
  };
  const swipe = (from: [number, number], to: [number, number]) => {
    gestures.down(touch(...from, 0), BOX);
    gestures.move(touch(...to, 100));
  };
  return { target, onpreview, gestures, touch, tap, swipe };
}

describe('a double tap', () => {
  it('skips at its side, and each further tap skips again', () => {
    const { target, tap } = finger();
    tap(390, 0);
    expect(target.skip).not.toHaveBeenCalled();
    tap(390, 200);
    tap(390, 400);
    expect(target.skip.mock.calls).toEqual([[10], [10]]);
    tap(10, 2000);
    tap(10, 2200);
    expect(target.skip).toHaveBeenLastCalledWith(-10);
  });

  it('in the middle, at two sides or too late skips nothing', () => {
    const { target, tap } = finger();
    tap(200, 0);
    tap(200, 200);
    tap(390, 1000);
    tap(10, 1200);
    tap(390, 3000);
    tap(390, 3400);
    expect(target.skip).not.toHaveBeenCalled();
  });

  it('takes only the click of the second tap', () => {
    const { gestures, tap } = finger();
    tap(390, 0);
    expect(gestures.takesClick()).toBe(false);
    tap(390, 200);
    expect([gestures.takesClick(), gestures.takesClick()]).toEqual([true, false]);
  });
});

describe('a swipe', () => {
  it('sideways shows the time, and seeks when the finger leaves', () => {
    const { target, onpreview, gestures, touch, swipe } = finger();
    swipe([100, 400], [300, 410]);
    expect(onpreview).toHaveBeenLastCalledWith(175);
    expect(target.seek).not.toHaveBeenCalled();
    gestures.up(touch(300, 410, 200));
    expect(target.seek).toHaveBeenCalledExactlyOnceWith(175);
    expect(onpreview).toHaveBeenLastCalledWith(null);
  });

  it('stays within the film', () => {
    const { target, onpreview, swipe } = finger();
    target.time = 2;
    swipe([300, 400], [10, 400]);
    expect(onpreview).toHaveBeenLastCalledWith(0);
  });

  it('that the system ends, or a second finger joins, changes nothing', () => {
    for (const end of ['cancel', 'second'] as const) {
      const { target, onpreview, gestures, touch, swipe } = finger();
      swipe([100, 400], [300, 410]);
      if (end === 'cancel') gestures.cancel();
      else gestures.down(touch(50, 50, 150, 2), BOX);
      gestures.up(touch(300, 410, 200));
      expect(target.seek).not.toHaveBeenCalled();
      expect(onpreview).toHaveBeenLastCalledWith(null);
    }
  });

  it('upwards in the right half is louder, and a cancelled one restores the volume', () => {
    const { target, gestures, swipe } = finger();
    swipe([300, 400], [300, 200]);
    expect(target.setVolume).toHaveBeenLastCalledWith(1);
    gestures.cancel();
    expect(target.setVolume).toHaveBeenLastCalledWith(0.5);
  });

  it('changes no volume in the left half, and none that only the system sets', () => {
    const left = finger();
    left.swipe([100, 400], [100, 200]);
    const phone = finger(false);
    phone.swipe([300, 400], [300, 200]);
    for (const { target, onpreview } of [left, phone]) {
      expect(target.setVolume).not.toHaveBeenCalled();
      expect(onpreview).not.toHaveBeenCalled();
    }
  });

  it('of a mouse is none', () => {
    const { onpreview, gestures, touch } = finger();
    gestures.down({ ...touch(100, 100, 0), pointerType: 'mouse' }, BOX);
    gestures.move({ ...touch(300, 100, 50), pointerType: 'mouse' });
    expect(onpreview).not.toHaveBeenCalled();
  });
});

it('a key has one meaning', () => {
  const keys = GROUPS.flatMap(({ commands }) => commands.flatMap((command) => command.keys));
  expect(keys.length).toBeGreaterThan(25);
  expect(new Set(keys).size).toBe(keys.length);
});
