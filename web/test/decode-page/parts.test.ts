/** Small parts: pictures by time, buffered ranges, the speed of a device. */
import { describe, expect, it, vi } from 'vitest';
import { readDevice, saveSpeed, SpeedMeter } from '../../src/playback/decode/device';
import { Presenter } from '../../src/playback/decode/picture/presenter';
import type { Picture } from '../../src/playback/decode/protocol';
import { contains, nextStart } from '../../src/playback/decode/source/media-source';
import { FakeRanges } from './fakes';

const at = (time: number) => ({ time }) as Picture;

function presenter() {
  const drawn: number[] = [];
  let works = true;
  const one = new Presenter({
    draw: (picture) => {
      if (works) drawn.push(picture.time);
      return works;
    },
  });
  return { one, drawn, breakOff: (isBroken: boolean) => (works = !isBroken) };
}

describe('presenter', () => {
  it('picture_of_the_time_is_drawn_and_late_ones_are_dropped', () => {
    const { one, drawn } = presenter();
    for (const time of [0, 0.04, 0.08, 0.12]) one.add(at(time));
    one.show(0);
    one.show(0.01);
    one.show(0.09);
    expect([drawn, one.dropped, one.waiting]).toEqual([[0, 0.08], 1, 1]);
  });

  it('pictures_are_sorted_by_time', () => {
    const { one, drawn } = presenter();
    for (const time of [0, 0.08, 0.04]) one.add(at(time));
    for (const time of [0, 0.04, 0.08]) one.show(time);
    expect(drawn).toEqual([0, 0.04, 0.08]);
  });

  it('first_picture_after_a_seek_is_drawn_even_if_it_is_a_little_later', () => {
    const { one, drawn } = presenter();
    one.add(at(0));
    one.show(0);
    one.clear();
    expect(one.current).toBeNull();
    one.add(at(30.02));
    one.show(30);
    expect(drawn).toEqual([0, 30.02]);
  });

  it('picture_is_drawn_again_after_the_context_was_lost', () => {
    const { one, drawn, breakOff } = presenter();
    one.add(at(0));
    one.show(0);
    breakOff(true);
    one.redraw();
    one.show(0);
    breakOff(false);
    one.show(0);
    one.show(0);
    expect(drawn).toEqual([0, 0]);
  });

  it('hidden_page_drops_pictures_that_are_over', () => {
    const { one } = presenter();
    for (const time of [0, 1, 2]) one.add(at(time));
    one.skip(1.5);
    expect(one.waiting).toBe(2);
  });
});

describe('ranges', () => {
  const ranges = new FakeRanges([
    [1, 5],
    [10, 20],
  ]) as unknown as TimeRanges;
  it('position_is_playable_inside_of_a_range_but_not_at_its_end', () => {
    expect([0.9, 1, 4.95, 7, 19].map((time) => contains(ranges, time))).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
  });
  it('gap_is_skipped_up_to_its_limit', () => {
    expect([0.5, 3, 6, 8, 25].map((time) => nextStart(ranges, time, 3))).toEqual([1, null, null, 10, null]);
  });
});

describe('device', () => {
  const store = () => {
    const values = new Map<string, string>();
    return {
      get: (name: string) => values.get(name) ?? null,
      set: (name: string, value: string) => void values.set(name, value),
    };
  };

  it('speed_is_kept_by_codec', () => {
    const kept = store();
    saveSpeed('hevc', 20_000_000.4, kept);
    saveSpeed('mpeg4', 90_000_000, kept);
    expect(readDevice(kept).speeds).toEqual({ hevc: 20_000_000, mpeg4: 90_000_000 });
  });

  it.each(['', 'null', '[', '{"hevc":"fast","av1":-1}'])('damaged_value_%s_is_no_measurement', (value) => {
    expect(readDevice({ get: () => value }).speeds).toEqual({});
  });

  it('speed_is_measured_once_after_two_seconds_of_decoding', () => {
    const measured = vi.fn();
    const meter = new SpeedMeter(measured);
    meter.add(0.5, 0);
    meter.add(1, 20);
    expect(measured).not.toHaveBeenCalled();
    meter.add(1.5, 40);
    expect(measured).not.toHaveBeenCalled();
    meter.add(2.5, 80);
    meter.add(9, 400);
    expect(measured).toHaveBeenCalledExactlyOnceWith(40);
  });
});
