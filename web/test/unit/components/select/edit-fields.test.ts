import { expect, it } from 'vitest';
import { valuesOf, type Input } from '../../../../src/components/select/edit-fields';
import { names } from '../../../../src/components/select/names';

const keep: Input = { how: 'keep', text: 'ignored' };
const all = { authors: keep, series: keep, genres: keep, language: keep, year: keep };
const input = (how: Input['how'], text = ''): Input => ({ how, text });

it('fields without a change are left out, and nothing to set is no edit', () => {
  expect(valuesOf(all)).toBeNull();
  expect(valuesOf({ ...all, year: input('replace', ' 1815 ') })).toEqual({ year: 1815 });
});

it('each way of a change has its own value', () => {
  const inputs = {
    authors: input('replace', 'A. Lady; Mary Shelley;'),
    series: input('replace', 'Novels'),
    genres: input('add', 'Satire;Satire'),
    language: input('clear'),
    year: input('replace', '-44'),
  };
  expect(valuesOf(inputs)).toEqual({
    authors: ['A. Lady', 'Mary Shelley'],
    series: { name: 'Novels' },
    genres_add: ['Satire'],
    language: null,
    year: -44,
  });
  const cleared = { ...all, authors: input('clear'), series: input('clear'), genres: input('remove', 'A') };
  expect(valuesOf(cleared)).toEqual({ authors: [], series: null, genres_remove: ['A'] });
});

it('an incomplete input sets nothing', () => {
  for (const [field, text] of [
    ['authors', ' ; '],
    ['genres', ''],
    ['series', ' '],
    ['language', ''],
    ['year', '18th'],
  ])
    expect(valuesOf({ ...all, [String(field)]: input('replace', text) })).toBeNull();
});

it('names are trimmed and listed once', () => {
  expect(names(' a, b ,,a', ',')).toEqual(['a', 'b']);
});
