/** Sizes of covers from the picture of a viewer. */
import { expect, it } from 'vitest';
import { coverSize, type Frame } from '../../../../src/components/covers/frame';

const frame = (of: object) => of as Frame;

it('keeps the size of a small picture', () => {
  expect(coverSize(frame({ naturalWidth: 600, naturalHeight: 900 }))).toEqual({ width: 600, height: 900 });
  expect(coverSize(frame({ width: 300, height: 200 }))).toEqual({ width: 300, height: 200 });
});

it('reduces a large picture, and keeps its shape', () => {
  expect(coverSize(frame({ videoWidth: 3840, videoHeight: 2160 }))).toEqual({ width: 2000, height: 1125 });
  expect(coverSize(frame({ naturalWidth: 4000, naturalHeight: 6000 }))).toEqual({
    width: 1333,
    height: 2000,
  });
});

it('is empty without a picture', () => {
  expect(coverSize(frame({ videoWidth: 0, videoHeight: 0 }))).toEqual({ width: 0, height: 0 });
});
