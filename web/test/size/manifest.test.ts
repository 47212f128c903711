import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const at = (name: string) => readFileSync(join(import.meta.dirname, '../../public', name));
interface Picture {
  src: string;
  sizes: string;
  type: string;
  purpose?: string;
}
const manifest = JSON.parse(at('manifest.webmanifest').toString()) as Record<string, unknown> & {
  icons: Picture[];
};

describe('the manifest', () => {
  it('names the application and its scope', () => {
    expect(manifest).toMatchObject({ id: '/', scope: '/', start_url: '/', display: 'standalone' });
  });

  it('lists existing icons with their sizes', () => {
    for (const { src, sizes, type } of manifest.icons) {
      const picture = at(src.slice(1));
      if (type !== 'image/png') continue;
      expect(`${picture.readUInt32BE(16)}x${picture.readUInt32BE(20)}`, src).toBe(sizes);
    }
    expect(manifest.icons.filter(({ purpose }) => purpose === 'any').map(({ sizes }) => sizes)).toEqual([
      '192x192',
      '512x512',
    ]);
  });

  it('has a maskable icon with filled corners', () => {
    const icon = manifest.icons.find(({ purpose }) => purpose === 'maskable');
    expect(icon).toBeDefined();
    const picture = at(icon!.src.slice(1));
    // A PNG of colour type 2 has no transparency at all.
    expect(picture.readUInt8(25)).toBe(2);
  });
});
