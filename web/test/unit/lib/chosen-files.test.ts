import { expect, it } from 'vitest';
import { takeFiles } from '../../../src/lib/chosen-files';

/** Like browsers: the list is always the same object, and empty if its input is. */
function input(...names: string[]) {
  const files = names.map((name) => new File(['x'], name));
  return {
    files: files as unknown as FileList,
    set value(to: string) {
      if (to === '') files.length = 0;
    },
  };
}

it('selected files are returned once, and may be selected again', () => {
  const chosen = input('mgba.js', 'mgba.wasm');
  expect(takeFiles(chosen).map(({ name }) => name)).toEqual(['mgba.js', 'mgba.wasm']);
  expect(takeFiles(chosen)).toEqual([]);
});
