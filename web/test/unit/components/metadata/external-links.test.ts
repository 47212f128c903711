import { describe, expect, it } from 'vitest';
import { isHttps, itemLinks, personLinks } from '../../../../src/components/metadata/external-links';

const UUID = '5b11f4ce-a62d-471e-81fc-a69a8278c7da';
const FILM = { isShow: false, unit: 'second' } as const;
const urls = (ids: Record<string, string>, form: Parameters<typeof itemLinks>[2] = FILM) =>
  itemLinks(ids, [], form).map(({ url }) => url);

describe('the links of an item', () => {
  it('lead to each known database', () => {
    const ids = { imdb: 'tt0133093', tmdb: '603', tvmaze: '82', musicbrainz_release: UUID };
    expect(
      urls({ ...ids, wikidata: 'Q83495', anilist: '1', comicvine: '4000-6', asin: 'B017V4IM1G' }),
    ).toEqual([
      'https://www.imdb.com/title/tt0133093',
      'https://www.themoviedb.org/movie/603',
      'https://www.tvmaze.com/shows/82',
      `https://musicbrainz.org/release/${UUID}`,
      'https://www.wikidata.org/wiki/Q83495',
      'https://anilist.co/anime/1',
      'https://comicvine.gamespot.com/issue/4000-6',
      'https://www.audible.com/pd/B017V4IM1G',
    ]);
  });
  it('follow the form of the item', () => {
    expect(urls({ tmdb: '1399' }, { isShow: true, unit: 'second' })).toEqual([
      'https://www.themoviedb.org/tv/1399',
    ]);
    expect(urls({ anilist: '30013' }, { isShow: false, unit: 'page' })).toEqual([
      'https://anilist.co/manga/30013',
    ]);
  });
  it('omit unknown databases and names of properties', () => {
    expect(urls({ myspace: '1', constructor: '1', toString: '1' })).toEqual([]);
    expect(urls(Object.create({ tmdb: '603' }) as Record<string, string>)).toEqual([]);
  });
  it.each([
    ['imdb', 'tt1/../../x'],
    ['imdb', 'nm0000001'],
    ['imdb', 'tt1\n'],
    ['tmdb', '603?x=1'],
    ['tmdb', '-1'],
    ['tmdb', '1234567890123'],
    ['tvmaze', 'javascript:alert(1)'],
    ['musicbrainz_release', `${UUID}/edit`],
    ['wikidata', '"><script>'],
    ['wikidata', 'Special:Random'],
    ['comicvine', '4000-1/../..'],
    ['asin', '../../login'],
    ['anilist', ''],
  ])('omit a hostile id: %s %j', (database, id) => {
    expect(urls({ [database]: id })).toEqual([]);
  });
  it('contain a label once: links of the provider precede those of ids', () => {
    const given = [
      { label: 'Trailer', url: 'https://www.youtube.com/watch?v=1' },
      { label: 'imdb', url: 'https://www.imdb.com/title/tt2/' },
    ];
    const ids = { imdb: 'tt1', musicbrainz_release: UUID, musicbrainz_release_group: UUID };
    expect(itemLinks(ids, given, FILM)).toEqual([
      ...given,
      { label: 'MusicBrainz', url: `https://musicbrainz.org/release/${UUID}` },
    ]);
  });
  it('contain no script and no unencrypted page', () => {
    const given = ['javascript:alert(1)', 'http://example.org/', 'data:text/html,x', '/login', ''];
    expect(
      itemLinks(
        {},
        given.map((url) => ({ label: url, url })),
        FILM,
      ),
    ).toEqual([]);
    expect(isHttps('https://example.org/')).toBe(true);
  });
});

describe('the links of a person', () => {
  it('lead to pages of people', () => {
    const ids = { imdb: 'nm0000206', tmdb: '6384', tvmaze: '1', musicbrainz: UUID, comicvine: '4040-1' };
    expect(personLinks(ids, []).map(({ url }) => url)).toEqual([
      'https://www.imdb.com/name/nm0000206',
      'https://www.themoviedb.org/person/6384',
      'https://www.tvmaze.com/people/1',
      `https://musicbrainz.org/artist/${UUID}`,
      'https://comicvine.gamespot.com/person/4040-1',
    ]);
    expect(personLinks({ imdb: 'tt0133093', musicbrainz: 'x/../y' }, [])).toEqual([]);
  });
  it('follow the links of providers, each label once', () => {
    const wikidata = { label: 'Wikidata', url: 'https://www.wikidata.org/wiki/Q1' };
    const given = [wikidata, { label: 'Trap', url: 'javascript:alert(1)' }, wikidata];
    const ids = { imdb: 'nm0000206', wikidata: 'Q2' };
    expect(personLinks(ids, given).map(({ url }) => url)).toEqual([
      'https://www.wikidata.org/wiki/Q1',
      'https://www.imdb.com/name/nm0000206',
    ]);
  });
});
