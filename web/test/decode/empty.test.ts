/** Files with a header, but without anything to play. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Fixtures, picture, sound } from './ffmpeg';
import { BytesTransport, play } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

/** Returns a file up to the start of its packets. */
function headerOf(name: string, mark: string, ...options: string[]): Uint8Array {
  const bytes = readFileSync(fixtures.make(name, ...options));
  return new Uint8Array(bytes.subarray(0, bytes.indexOf(mark) + mark.length));
}

test.each([
  ['AVI', () => headerOf('film.avi', 'movi', ...picture('160x120', 1), '-c:v', 'mpeg4')],
  ['WAV', () => Buffer.concat([headerOf('sound.wav', 'data', ...sound(1, 1)), Buffer.alloc(4)])],
])('%s without packets is empty, not damaged', async (_, make) => {
  const { contents, failure } = await play(new BytesTransport(new Uint8Array(make())));
  expect(contents?.streams).toHaveLength(1);
  expect(failure).toMatchObject({ reason: 'empty', detail: 'the file contains no packets' });
});

test('a file with packets that cannot be decoded is damaged', async () => {
  const bytes = readFileSync(fixtures.make('damaged.avi', ...picture('160x120', 1), '-c:v', 'mpeg4'));
  // The packets keep their places, and lose their contents.
  for (let at = bytes.indexOf('movi') + 4; bytes.toString('latin1', at, at + 4) === '00dc';) {
    const size = bytes.readUInt32LE(at + 4);
    bytes.fill(0, at + 8, at + 8 + size);
    at += 8 + size + (size % 2);
  }
  const { failure } = await play(new BytesTransport(new Uint8Array(bytes)));
  expect(failure).toMatchObject({ reason: 'damaged', detail: 'no packet can be decoded' });
});
