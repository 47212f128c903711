/** Fields of interlaced pictures: their order, their times, and what a slow device shows. */
import { describe, expect, it } from 'vitest';
import { FieldPace, fieldsOf } from '../../src/playback/decode/picture/fields';
import { Presenter } from '../../src/playback/decode/picture/presenter';
import type { Picture } from '../../src/playback/decode/protocol';

type Interlaced = Picture['interlaced'];

const picture = (time: number, interlaced: Interlaced = 'top') => ({ time, interlaced }) as Picture;

function presenter({ drawsFields = true } = {}) {
  const drawn: [number, string | undefined][] = [];
  const draw = ({ time }: Picture, field?: string) => drawn.push([time, field]) > 0;
  return { one: new Presenter({ drawsFields, draw }), drawn };
}

/** Shows pictures of 25 per second, at a rate of the screen. Returns what was drawn. */
function play(count: number, screen: number, interlaced: Interlaced = 'top') {
  const { one, drawn } = presenter();
  for (let index = 0; index < count; index += 1) one.add(picture(index / 25, interlaced));
  for (let frame = 0; frame < (count / 25) * screen; frame += 1) one.show(frame / screen);
  return { one, drawn };
}

describe('order', () => {
  it('is_that_of_the_picture', () => {
    const orders = (['no', 'top', 'bottom'] as const).map((interlaced) => fieldsOf({ interlaced }));
    expect(orders).toEqual([null, ['top', 'bottom'], ['bottom', 'top']]);
  });

  it('each_field_is_a_picture_at_twice_the_rate', () => {
    expect(play(3, 50).drawn).toEqual([
      [0, 'top'],
      [0, 'bottom'],
      [0.04, 'top'],
      [0.04, 'bottom'],
      [0.08, 'top'],
      [0.08, 'bottom'],
    ]);
    expect(play(1, 50, 'bottom').drawn).toEqual([
      [0, 'bottom'],
      [0, 'top'],
    ]);
  });

  it('each_field_is_drawn_once_on_a_faster_screen', () => {
    for (const screen of [60, 75, 144]) expect(play(10, screen).drawn).toHaveLength(20);
  });

  it('progressive_pictures_are_drawn_once', () => {
    expect(play(2, 50, 'no').drawn).toEqual([
      [0, undefined],
      [0.04, undefined],
    ]);
  });

  it('renderer_without_fields_draws_whole_pictures', () => {
    const { one, drawn } = presenter({ drawsFields: false });
    one.add(picture(0));
    for (const time of [0, 0.02, 0.03]) one.show(time);
    expect(drawn).toEqual([[0, undefined]]);
  });
});

describe('time', () => {
  it('second_field_is_in_the_middle_of_a_picture_of_any_length', () => {
    const { one, drawn } = presenter();
    for (const time of [0, 0.1, 0.2]) one.add(picture(time));
    for (const time of [0, 0.02, 0.041, 0.043, 0.1]) one.show(time);
    // A screen that is refreshed each 16 ms shows a field up to 8 ms early.
    expect(drawn).toEqual([
      [0, 'top'],
      [0, 'bottom'],
      [0.1, 'top'],
    ]);
    expect(one.waiting).toBe(1);
  });

  it('last_picture_is_as_long_as_the_one_before', () => {
    const { one, drawn } = presenter();
    for (const time of [0, 0.1]) one.add(picture(time));
    for (const time of [0, 0.1, 0.13]) one.show(time);
    expect(drawn.at(-1)).toEqual([0.1, 'top']);
    one.show(0.145);
    expect(drawn.at(-1)).toEqual([0.1, 'bottom']);
  });

  it('gap_in_the_film_does_not_delay_the_second_field', () => {
    const { one, drawn } = presenter();
    for (const time of [0, 9]) one.add(picture(time));
    for (const time of [0, 0.02]) one.show(time);
    expect(drawn.at(-1)).toEqual([0, 'bottom']);
  });

  it('position_in_the_second_half_of_a_picture_shows_its_second_field', () => {
    const { one, drawn } = presenter();
    for (const time of [1, 1.04]) one.add(picture(time));
    one.show(1.03);
    expect(drawn).toEqual([[1, 'bottom']]);
    one.redraw();
    one.show(1.03);
    expect(drawn).toHaveLength(2);
    expect(drawn[1]).toEqual([1, 'bottom']);
  });

  it('picture_of_an_earlier_run_does_not_change_while_the_next_run_starts', () => {
    const { one, drawn } = presenter();
    for (const time of [1, 1.04]) one.add(picture(time));
    one.show(1);
    one.clear();
    one.show(1.03);
    expect(drawn).toEqual([[1, 'top']]);
  });
});

describe('pace', () => {
  it('screen_that_is_too_slow_gets_blended_pictures', () => {
    const { drawn } = play(200, 25);
    expect(drawn.slice(0, 50).every(([, field]) => field === 'top')).toBe(true);
    expect(drawn.slice(51).every(([, field]) => field === undefined)).toBe(true);
  });

  it('decoder_that_is_too_slow_gets_blended_pictures', () => {
    const { one, drawn } = presenter();
    for (let index = 0; index < 100; index += 1) {
      // Each second picture arrives too late.
      for (const time of [2 * index, 2 * index + 1]) one.add(picture(time / 25));
      for (const field of [2, 3]) one.show((2 * index + field / 2) / 25);
    }
    expect(drawn.at(-1)?.[1]).toBeUndefined();
  });

  it('some_lost_fields_are_tolerated', () => {
    const pace = new FieldPace();
    for (let index = 0; index < 1000; index += 1) pace.add(index % 4 === 0 ? 1 : 2);
    expect(pace.isFast).toBe(true);
  });

  it('fields_are_tried_again_after_a_pause_that_doubles', () => {
    const pace = new FieldPace();
    const lengths: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      while (pace.isFast) pace.add(1);
      let length = 0;
      for (; !pace.isFast; length += 1) pace.add(0);
      lengths.push(length);
    }
    expect(lengths).toEqual([500, 1000, 2000]);
  });

  it('seek_loses_no_field', () => {
    const { one, drawn } = presenter();
    for (let run = 0; run < 200; run += 1) {
      for (const time of [run, run + 0.04]) one.add(picture(time));
      one.show(run);
      one.clear();
    }
    expect(drawn.at(-1)).toEqual([199, 'top']);
  });
});
