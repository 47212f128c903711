import { describe, expect, it } from 'vitest';
import { match, matchFirst } from '../../../src/lib/path-pattern';

describe('match', () => {
  it('extracts parameters from the path', () => {
    expect(match('/items/:id/open/:file', '/items/12/open/7')).toEqual({ id: '12', file: '7' });
  });
  it('rejects a path that is longer or shorter', () => {
    expect(match('/items/:id', '/items')).toBeNull();
    expect(match('/items/:id', '/items/1/open')).toBeNull();
  });
  it('ignores a trailing slash', () => {
    expect(match('/settings', '/settings/')).toEqual({});
  });
  it('decodes parameters, and keeps a lone percent sign', () => {
    expect(match('/library/:kind', '/library/%C3%A9t%C3%A9')).toEqual({ kind: 'été' });
    expect(match('/library/:kind', '/library/100%')).toEqual({ kind: '100%' });
  });
});

describe('matchFirst', () => {
  const routes = [{ pattern: '/' }, { pattern: '/library/new' }, { pattern: '/library/:kind' }];
  it('prefers the earlier of two matches', () => {
    expect(matchFirst(routes, '/library/new')?.route.pattern).toBe('/library/new');
    expect(matchFirst(routes, '/library/books')?.params).toEqual({ kind: 'books' });
  });
  it('returns null without a match', () => {
    expect(matchFirst(routes, '/elsewhere')).toBeNull();
  });
});
