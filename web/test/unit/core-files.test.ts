import { expect, test } from 'vitest';
import { misfit } from '../../src/viewers/game/remote';

const file = (name: string, bytes: string) => new File([bytes], name);

test('a part of a core is known by what it begins with or names', async () => {
  expect(await misfit(file('mgba.wasm', '\0asm\x01\0\0\0'))).toBeNull();
  expect(await misfit(file('mgba.wasm', '<!doctype html>'))).toBe('module');
  expect(await misfit(file('mgba.wasm', ''))).toBe('module');
  expect(await misfit(file('mgba.js', 'var EJS_Runtime = 1'))).toBeNull();
  expect(await misfit(file('mgba.js', 'alert(1)'))).toBe('script');
  expect(await misfit(file('mgba.txt', 'Free'))).toBeNull();
});
