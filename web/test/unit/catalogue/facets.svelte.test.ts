import { flushSync } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import { continued } from '../../../src/components/filters/facets.svelte';

let end = () => {};
afterEach(() => end());

it('a continued value stays while the next one loads, and gains what arrives', () => {
  let names = $state.raw<string[] | undefined>();
  const shown: string[] = [];
  end = $effect.root(() => {
    const all = continued<ReadonlySet<string>>(new Set(), (previous) =>
      names ? new Set([...previous, ...names]) : previous,
    );
    $effect(() => {
      shown.push([...all()].join());
    });
  });
  flushSync();
  for (const next of [['Satire', 'Travel'], undefined, ['Essays']]) {
    names = next;
    flushSync();
  }
  expect(shown).toEqual(['', 'Satire,Travel', 'Satire,Travel,Essays']);
});
