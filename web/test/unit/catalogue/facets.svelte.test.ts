import { flushSync } from 'svelte';
import { afterEach, expect, it } from 'vitest';
import { continued, decadeName, yearsText } from '../../../src/components/filters/facets.svelte';

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

it('decades and ranges before Christ have no sign', () => {
  expect([decadeName(-380), decadeName(1810)]).toEqual(['380 BC to 371 BC', '1810s']);
  expect(yearsText(-380, -371)).toBe('380 BC to 371 BC');
  expect(yearsText(-380, 1819)).toBe('380 BC to 1819');
  expect(yearsText(-385, null)).toBe('From 385 BC');
  expect(yearsText(null, -4)).toBe('Until 4 BC');
});
