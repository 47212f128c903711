/** Groups of names below the items that a search found. */
import { flushSync } from 'svelte';
import { afterEach, expect, it, vi } from 'vitest';
import { QueryCache } from '../../../../src/api/query.svelte';
import { FoundNames } from '../../../../src/components/search/found-names.svelte';

type Answer = { items: object[]; total: number };
const none: Answer = { items: [], total: 0 };
let stop = () => {};
afterEach(() => stop());

function start(answers: Partial<Record<'people' | 'series' | 'collections', () => Promise<Answer>>>) {
  const answer = (name: keyof typeof answers) => answers[name]?.() ?? Promise.resolve(none);
  const asked: string[] = [];
  const api = {
    people: ({ q }: { q: string }) => (asked.push(q), answer('people')),
    series: () => answer('series'),
    http: { GET: async () => ({ data: await answer('collections') }) },
  } as unknown as ConstructorParameters<typeof FoundNames>[0];
  let words = $state('sea');
  let names!: FoundNames;
  stop = $effect.root(() => {
    names = new FoundNames(api, new QueryCache(), () => words);
  });
  flushSync();
  return { names, asked, search: (text: string) => flushSync(() => (words = text)) };
}
const settled = (names: FoundNames) =>
  vi.waitFor(() => {
    flushSync();
    expect(names.isPending).toBe(false);
  });

it('lists groups with matches in a fixed order', async () => {
  const { names } = start({
    collections: async () => ({ items: [{ id: 3, name: 'Sea', item_count: null }], total: 9 }),
    people: async () => ({ items: [{ id: 1, name: 'Seamus', items: 4 }], total: 1 }),
  });
  expect(names.isPending).toBe(true);
  await settled(names);
  expect(names.groups).toEqual([
    { id: 'people', total: 1, names: [{ id: 1, name: 'Seamus', items: 4 }] },
    { id: 'collections', total: 9, names: [{ id: 3, name: 'Sea', items: null }] },
  ]);
});

it('keeps the groups of the previous search until the next response', async () => {
  let release: (answer: Answer) => void = () => {};
  const later = new Promise<Answer>((done) => (release = done));
  const answers = [Promise.resolve({ items: [{ id: 1, name: 'Seamus', items: 4 }], total: 1 }), later];
  const { names, asked, search } = start({ people: () => answers.shift() ?? Promise.resolve(none) });
  await settled(names);
  search('seal');
  expect(names.groups).toHaveLength(1);
  release(none);
  await settled(names);
  expect(names.groups).toEqual([]);
  expect(asked).toEqual(['sea', 'seal']);
});

it('omits a group whose request fails', async () => {
  const { names } = start({
    people: () => Promise.reject(new Error('failed')),
    series: async () => ({ items: [{ id: 2, name: 'Sea stories', items: 2 }], total: 1 }),
  });
  await settled(names);
  expect(names.groups.map(({ id }) => id)).toEqual(['series']);
});

it('sends no request without a search', async () => {
  const { names, asked, search } = start({});
  await settled(names);
  search('');
  expect(names.groups).toEqual([]);
  expect(asked).toEqual(['sea']);
});
