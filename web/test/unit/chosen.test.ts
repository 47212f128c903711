import { expect, it } from 'vitest';
import { takeChosen } from '../../src/lib/chosen';

/** As browsers do it: the list is the same one all the time, and empty when its input is. */
function input(...names: string[]) {
  const files = names.map((name) => new File(['x'], name));
  return {
    files: files as unknown as FileList,
    set value(to: string) {
      if (to === '') files.length = 0;
    },
  };
}

it('files that were chosen are taken once, and may be chosen anew', () => {
  const chosen = input('mgba.js', 'mgba.wasm');
  expect(takeChosen(chosen).map(({ name }) => name)).toEqual(['mgba.js', 'mgba.wasm']);
  expect(takeChosen(chosen)).toEqual([]);
});
