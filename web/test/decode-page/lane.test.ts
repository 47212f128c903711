/** One lane of a media source: order, eviction and a full buffer. */
import { beforeEach, expect, it, vi } from 'vitest';
import { Lane } from '../../src/playback/decode/source/lane';
import { FakeBuffer, FakeRanges } from './fakes';

let buffer: FakeBuffer;
let position: number;
let lane: Lane;
const failed = vi.fn();
const data = (size: number) => new ArrayBuffer(size);

beforeEach(() => {
  buffer = new FakeBuffer();
  position = 0;
  failed.mockClear();
  lane = new Lane(buffer as unknown as SourceBuffer, 'video/mp4', () => position, failed);
});

it('bytes_wait_until_the_browser_is_ready', () => {
  lane.append(data(1));
  lane.append(data(2));
  expect(buffer.log).toEqual(['append 1 at 0']);
  expect(lane.isIdle).toBe(false);
  buffer.finish();
  expect(buffer.log).toEqual(['append 1 at 0', 'append 2 at 0']);
  buffer.finish();
  expect(lane.isIdle).toBe(true);
});

it('type_changes_only_if_it_differs', () => {
  lane.begin('video/mp4', 10);
  lane.begin('audio/mpeg', 0);
  expect(buffer.log).toEqual(['type audio/mpeg']);
});

it('clear_aborts_a_half_appended_segment_and_drops_what_waits', () => {
  lane.append(data(1));
  lane.append(data(2));
  buffer.finish();
  lane.clear(true);
  lane.append(data(3));
  buffer.finish();
  buffer.finish();
  expect(buffer.log).toEqual([
    'append 1 at 0',
    'append 2 at 0',
    'abort',
    'remove 0-Infinity',
    'append 3 at 0',
  ]);
});

it('ended_source_is_cleared_without_an_abort', () => {
  lane.clear(false);
  expect(buffer.log).toEqual(['remove 0-Infinity']);
});

it('played_bytes_are_evicted_before_the_next_append', () => {
  position = 100;
  buffer.buffered = new FakeRanges([[10, 110]]);
  lane.append(data(1));
  expect(buffer.log).toEqual(['remove 0-70']);
  buffer.buffered = new FakeRanges([[70, 110]]);
  buffer.finish();
  expect(buffer.log).toEqual(['remove 0-70', 'append 1 at 0']);
});

it('full_buffer_is_evicted_and_the_bytes_are_kept', () => {
  position = 20;
  buffer.buffered = new FakeRanges([[0, 30]]);
  buffer.error = new DOMException('full', 'QuotaExceededError');
  lane.append(data(7));
  expect(buffer.log).toEqual(['remove 0-18']);
  buffer.error = null;
  buffer.finish();
  expect(buffer.log).toEqual(['remove 0-18', 'append 7 at 0']);
  expect(failed).not.toHaveBeenCalled();
});

it('full_buffer_without_played_bytes_waits_for_the_position', () => {
  position = 1;
  buffer.buffered = new FakeRanges([[0, 30]]);
  buffer.error = new DOMException('full', 'QuotaExceededError');
  lane.append(data(7));
  expect([buffer.log, lane.isIdle]).toEqual([[], false]);
  position = 10;
  lane.pump();
  expect(buffer.log).toEqual(['remove 0-8']);
});

it('other_errors_are_reported', () => {
  buffer.error = new DOMException('no', 'InvalidStateError');
  lane.append(data(7));
  expect(failed).toHaveBeenCalledOnce();
});

it('held_bytes_wait', () => {
  lane.hold(true);
  lane.append(data(1));
  expect(buffer.log).toEqual([]);
  lane.hold(false);
  expect(buffer.log).toEqual(['append 1 at 0']);
});

it('closed_lane_appends_nothing', () => {
  lane.close();
  lane.append(data(1));
  expect(buffer.log).toEqual([]);
});
