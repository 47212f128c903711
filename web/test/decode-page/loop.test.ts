/** Pictures on a canvas whose graphics fail. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PictureLoop } from '../../src/playback/decode/picture/loop';
import type { Picture } from '../../src/playback/decode/protocol';

let frames: FrameRequestCallback[] = [];
let now = 0;

/** Runs the frames of some milliseconds. */
function pass(milliseconds: number, length = 20): void {
  for (const end = now + milliseconds; now < end;) {
    now += length;
    const due = frames;
    frames = [];
    for (const frame of due) frame(now);
  }
}

beforeEach(() => {
  frames = [];
  now = 0;
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => (frames = []));
});
afterEach(() => void vi.unstubAllGlobals());

function looping(draw: () => boolean) {
  const canvas = new EventTarget();
  const onfailed = vi.fn();
  const drawing = vi.fn(draw);
  const open = () => ({ draw: drawing, close: () => {} });
  const loop = new PictureLoop(canvas as HTMLCanvasElement, () => 0, onfailed, open);
  loop.add({ time: 0 } as Picture);
  return { canvas, onfailed, drawing, loop };
}

it('shader_that_does_not_compile_is_reported_once', () => {
  const { onfailed } = looping(() => {
    throw new Error('the shader does not compile');
  });
  pass(200);
  expect(onfailed).toHaveBeenCalledExactlyOnceWith('Error: the shader does not compile');
  expect(frames).toEqual([]);
});

it('context_that_is_lost_for_long_is_reported', () => {
  let isLost = false;
  const { canvas, onfailed } = looping(() => !isLost);
  pass(8000);
  isLost = true;
  canvas.dispatchEvent(new Event('webglcontextlost'));
  pass(3000);
  // A hidden page has no frames.
  now += 60_000;
  pass(500);
  expect(onfailed).not.toHaveBeenCalled();
  pass(1000);
  expect(onfailed).toHaveBeenCalledExactlyOnceWith('the graphics context is lost');
});

it('context_that_is_restored_soon_shows_the_picture_again', () => {
  let isLost = false;
  const { canvas, onfailed, drawing } = looping(() => !isLost);
  pass(100);
  for (let times = 0; times < 4; times += 1) {
    isLost = true;
    canvas.dispatchEvent(new Event('webglcontextlost'));
    pass(2000);
    isLost = false;
    canvas.dispatchEvent(new Event('webglcontextrestored'));
    drawing.mockClear();
    pass(100);
    expect(drawing).toHaveBeenCalledOnce();
  }
  expect(onfailed).not.toHaveBeenCalled();
});

it('canvas_without_graphics_is_reported', () => {
  const onfailed = vi.fn();
  const canvas = new EventTarget() as HTMLCanvasElement;
  const loop = new PictureLoop(
    canvas,
    () => 0,
    onfailed,
    () => null,
  );
  pass(6000);
  expect(onfailed).not.toHaveBeenCalled();
  loop.add({ time: 0 } as Picture);
  pass(6000);
  expect(onfailed).toHaveBeenCalledOnce();
});
