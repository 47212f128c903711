import { describe, expect, it } from 'vitest';
import type { MediaType } from '../../../src/api/models';
import { sortOf, sortsOf } from '../../../src/components/lists/sorts';

const kind = (unit: string, viewer: string) => ({ unit, viewers: { ext: viewer } }) as unknown as MediaType;
const texts = kind('section', 'epub');
const films = kind('second', 'video');
const games = kind('second', 'game');
const ids = (of: MediaType | undefined) => sortsOf(of).map(({ id }) => id);

describe('the orders of a list', () => {
  it('include the length only of kinds that have one', () => {
    expect(ids(texts)).toContain('pages');
    expect(ids(texts)).not.toContain('duration');
    expect(ids(films)).toContain('duration');
    expect(ids(films)).not.toContain('pages');
    expect(ids(games)).not.toContain('pages');
    expect(ids(games)).not.toContain('duration');
  });

  it('include every order while the kind is unknown, so that an address stays valid', () => {
    expect(new Set(ids(undefined))).toEqual(new Set([...ids(texts), ...ids(films)]));
    expect(new Set(ids(undefined)).size).toBe(ids(undefined).length);
  });

  it('begin with the best, newest and largest, but with the shortest', () => {
    const descending = sortsOf(undefined).filter(({ order }) => order === 'desc');
    expect(descending.map(({ id }) => id)).toEqual([
      'added',
      'last_played',
      'rating',
      'year',
      'released',
      'size',
    ]);
  });

  it('come from the address, and are the title otherwise', () => {
    const named = (text: string, of = films) => sortOf(new URLSearchParams(text), of).id;
    expect(named('sort=duration')).toBe('duration');
    expect(named('sort=duration', texts)).toBe('title');
    expect(named('sort=weight')).toBe('title');
    expect(named('')).toBe('title');
  });
});
