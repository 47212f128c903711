/** Single key pictures for the preview, by the committed decoders. */
import { afterAll, describe, expect, it } from 'vitest';
import { Decoder } from '../../src/playback/decode/worker/decoder';
import { pixelsOf } from '../../src/playback/decode/picture/plain';
import type { FromWorker } from '../../src/playback/decode/protocol';
import { Fixtures } from './ffmpeg';
import { compile, FileTransport } from './play';

const fixtures = new Fixtures();
afterAll(() => fixtures.remove());

const LENGTH = 12;
/** Seconds between key pictures. */
const EVERY = 2;

/** A film whose brightness is that of the second. */
const ramp = [
  ...['-f', 'lavfi', '-i', `color=black:size=640x360:rate=25:duration=${LENGTH}`],
  ...['-vf', "geq=lum='16+15*floor(T)':cb=128:cr=128", '-pix_fmt', 'yuv420p'],
  ...['-g', String(EVERY * 25), '-bf', '2'],
];

async function opened(path: string) {
  const messages: FromWorker[] = [];
  const decoder = new Decoder({
    transport: () => new FileTransport(path),
    compile,
    breathe: () => new Promise((resolve) => setImmediate(resolve)),
    post: (message) => void messages.push(message),
  });
  await decoder.receive({ kind: 'open', url: '', wasm: 'full', name: path });
  let id = 0;
  return async (at: number) => {
    id += 1;
    await decoder.receive({ kind: 'still', id, stream: 0, at, width: 240 });
    const still = messages.findLast((message) => message.kind === 'still');
    expect(still?.id).toBe(id);
    return still?.picture ?? null;
  };
}

/** Returns the second of a picture by its brightness. */
function secondOf(picture: NonNullable<Awaited<ReturnType<Awaited<ReturnType<typeof opened>>>>>): number {
  const [red = 0] = pixelsOf(picture);
  return Math.round((red * 219) / 255 / 15);
}

describe('a key picture', () => {
  it.each([
    ['key.mkv', ['-c:v', 'libx264', '-sc_threshold', '0']],
    ['key.mp4', ['-c:v', 'mpeg4', '-bf', '0', '-sc_threshold', '1000000000']],
    ['key.avi', ['-c:v', 'mpeg4', '-bf', '0', '-sc_threshold', '1000000000']],
    ['key.ts', ['-c:v', 'mpeg2video', '-bf', '0', '-sc_threshold', '1000000000']],
    [
      'key-hevc.mkv',
      ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'scenecut=0:log-level=error'],
    ],
  ])('of %s is the one before the time, and small', async (name, codec) => {
    const still = await opened(fixtures.make(name, ...ramp, ...codec));
    for (const at of [7.3, 2.5, 9.9, 0]) {
      const picture = await still(at);
      expect(picture).toMatchObject({ width: 240, height: 135, layout: 'planar' });
      if (!picture) continue;
      const key = Math.floor(at / EVERY) * EVERY;
      // Transport streams have no index: the neighbours of the key picture can be found as well.
      const off = name.endsWith('.ts') ? EVERY : 0;
      expect(secondOf(picture)).toBeGreaterThanOrEqual(key - off);
      expect(secondOf(picture)).toBeLessThanOrEqual(key + off);
    }
  });

  it('of a codec that MP4 does not contain is one near the time', async () => {
    const still = await opened(fixtures.make('key.flv', ...ramp.slice(0, -2), '-c:v', 'flv1'));
    const picture = await still(7.3);
    expect(picture?.width).toBe(240);
    expect(picture?.time).toBeCloseTo(7.3, 0);
  });

  it('of pictures with words as samples is reduced too', async () => {
    const deep = [...ramp, '-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-preset', 'ultrafast'];
    const still = await opened(
      fixtures.make('deep.mkv', ...deep, '-x265-params', 'scenecut=0:log-level=error'),
    );
    const picture = await still(5);
    expect(picture).toMatchObject({ width: 240, depth: 10 });
    if (picture) expect(secondOf(picture)).toBe(4);
  });
});
