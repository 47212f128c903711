import { describe, expect, it } from 'vitest';
import type { Details } from '../../../../src/api/models';
import { shadeOf } from '../../../../src/components/metadata/logo-shade';
import { initials } from '../../../../src/components/metadata/portrait';
import {
  factsShownNowhereElse,
  partialDate,
  providerLines,
} from '../../../../src/components/metadata/provider-lines';
import { roleName } from '../../../../src/components/metadata/roles';

const empty: Details = {
  ...{
    original_title: null,
    tagline: null,
    released: null,
    edition_released: null,
    runtime: null,
    studios: [],
    countries: [],
  },
  ...{ collection: null, certificates: [], form: null, links: [], chapters: [], external_ids: {} },
  ...{ provider: 'tmdb', provider_label: 'TMDB', attribution: null },
};
const film = {
  ...empty,
  original_title: 'Le Voyage',
  released: '1902-09-01',
  runtime: 14,
  studios: ['Star Film', 'Gaumont'],
  countries: ['FR', 'Wonderland'],
  collection: 'Voyages',
};
const linesOf = (details: Details | null, facts: Parameters<typeof providerLines>[3] = [], isShow = false) =>
  providerLines({ title: 'The Trip', year: 1902, details }, { shape: 'case' }, isShow, facts).map(
    ({ label, text }) => `${label}: ${text}`,
  );
const fact = (name: string, text: string) => ({ name, label: name, text });

describe('the lines of a provider', () => {
  it('contain all known details', () => {
    expect(linesOf(film)).toEqual([
      'Original title: Le Voyage',
      'Released: 1 September 1902',
      'Studio: Star Film, Gaumont',
      'Countries: France, Wonderland',
      'Collection: Voyages',
    ]);
    expect(linesOf(empty)).toEqual([]);
    expect(linesOf(null)).toEqual([]);
  });
  it('replace the facts that the page shows elsewhere', () => {
    const facts = ['certification', 'countries', 'genres', 'tagline', 'profile'].map((name) =>
      fact(name, 'x'),
    );
    const namesWith = (details: Details | null, genres: string[]) =>
      factsShownNowhereElse(facts, { details, genres }).map(({ name }) => name);
    const shown = { ...film, tagline: 'Up.', certificates: [{ country: 'FR', rating: 'U' }] };
    expect(namesWith(shown, ['Fantasy'])).toEqual(['profile']);
    expect(namesWith(empty, [])).toEqual(facts.map(({ name }) => name));
    expect(namesWith(null, ['Fantasy'])).toEqual(['certification', 'countries', 'tagline', 'profile']);
    const made = [fact('studios', 'A'), fact('original_title', 'B')];
    const named = { ...film, studios: ['A'], original_title: 'B' };
    expect(factsShownNowhereElse(made, { details: named, genres: [] })).toEqual([]);
    expect(factsShownNowhereElse(made, { details: empty, genres: [] })).toEqual(made);
  });
  it('contain the network and the length of an episode of a show', () => {
    expect(linesOf({ ...empty, runtime: 51, studios: ['ITV'] }, [], true)).toEqual([
      'Network: ITV',
      'Length of an episode: 51 min',
    ]);
  });
  it('omit what facts of the files and the header contain', () => {
    const facts = [fact('publisher', 'star film'), fact('date', '1902-09-01'), fact('series', 'Voyages')];
    expect(linesOf(film, facts)).toEqual([
      'Original title: Le Voyage',
      'Studio: Gaumont',
      'Countries: France, Wonderland',
    ]);
    expect(linesOf({ ...empty, released: '1902', original_title: 'The Trip' })).toEqual([]);
  });
  it('show a partial date without inventing the rest', () => {
    expect(partialDate('2001-05')).toBe('May 2001');
    expect(partialDate('2001')).toBe('2001');
    expect(partialDate('soon')).toBe('soon');
  });
});

describe('a person without a picture', () => {
  it.each([
    ['Ida van Brekkan', 'IB'],
    ['Björk', 'B'],
    ['  émile   zola ', 'ÉZ'],
    ['曹雪芹', '曹'],
    ['Prince (singer)', 'P'],
    ['𝒜lpha 𝒵ed', '𝒜𝒵'],
    ['???', ''],
    ['', ''],
  ])('%j has the initials %j', (name, letters) => {
    expect(initials(name)).toBe(letters);
  });
});

it('a role has its own name, and an unknown one is written like a fact', () => {
  expect(roleName('director')).toBe('Director');
  expect(roleName('voice_artist')).toBe('Voice artist');
  expect(roleName('constructor')).toBe('Constructor');
});

describe('the shade of a logo', () => {
  const pixels = (...colours: number[][]) => new Uint8ClampedArray(colours.flat());
  it('is that of its visible pixels', () => {
    expect(shadeOf(pixels([255, 255, 255, 255], [0, 0, 0, 0], [0, 0, 0, 0]))).toBe('light');
    expect(shadeOf(pixels([10, 10, 10, 255], [255, 255, 255, 0]))).toBe('dark');
    expect(shadeOf(pixels([217, 60, 60, 255]))).toBe('middle');
  });
  it('is unknown for an empty picture', () => {
    expect(shadeOf(pixels([0, 0, 0, 0]))).toBe('middle');
    expect(shadeOf(pixels())).toBe('middle');
  });
});
