import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import { qrPath } from '../../../src/pages/settings/apps/qr-path';

const SCALE = 4;

/** Draws path data of rectangles in black on white, as RGBA. */
function draw({ size, path }: { size: number; path: string }) {
  const width = size * SCALE;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g)) {
    for (let row = Number(y) * SCALE; row < (Number(y) + 1) * SCALE; row += 1) {
      const start = (row * width + Number(x) * SCALE) * 4;
      const end = start + Number(length) * SCALE * 4;
      for (let at = start; at < end; at += 4) data.fill(0, at, at + 3);
    }
  }
  return { width, height: width, data };
}

describe('the path of a QR code', () => {
  it.each(['k7m2xq9c4h0w8vdn5t10', '00000000000000000000', 'zzzzzzzzzzzzzzzzzzzz'])(
    'decodes to its text: %s',
    (text) => {
      expect(decodeQR(draw(qrPath(text)))).toBe(text);
    },
  );

  it('leaves a border of four light modules', () => {
    const { size, path } = qrPath('k7m2xq9c4h0w8vdn5t10');
    const runs = [...path.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((run) => run.slice(1).map(Number));
    expect(Math.min(...runs.map(([x = 0]) => x))).toBe(4);
    expect(Math.min(...runs.map(([, y = 0]) => y))).toBe(4);
    expect(Math.max(...runs.map(([x = 0, , length = 0]) => x + length))).toBe(size - 4);
    expect(Math.max(...runs.map(([, y = 0]) => y + 1))).toBe(size - 4);
  });
});
