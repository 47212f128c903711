import { expect, test } from 'vitest';
import { invalidPart } from '../../../../src/viewers/game/saves/requests';

const file = (name: string, bytes: string) => new File([bytes], name);

test('a core file is identified by its first bytes or its names', async () => {
  expect(await invalidPart(file('mgba.wasm', '\0asm\x01\0\0\0'))).toBeNull();
  expect(await invalidPart(file('mgba.wasm', '<!doctype html>'))).toBe('module');
  expect(await invalidPart(file('mgba.wasm', ''))).toBe('module');
  expect(await invalidPart(file('mgba.js', 'var EJS_Runtime = 1'))).toBeNull();
  expect(await invalidPart(file('mgba.js', 'alert(1)'))).toBe('script');
  expect(await invalidPart(file('mgba.txt', 'Free'))).toBeNull();
});
