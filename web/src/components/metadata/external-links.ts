/** Links to external databases. Ids come from providers and files: only valid ones of known databases become links. */
import type { MediaType } from '../../api/models';

export interface ExternalLink {
  label: string;
  url: string;
}

interface Database {
  label: string;
  /** The whole id. */
  id: RegExp;
  /** The address before the id, with a final slash. */
  address: string;
}
/** Databases by the name in the API. Of two with one label, the first one is linked. */
type Databases = readonly (readonly [name: string, database: Database])[];

const NUMBER = /^\d{1,12}$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const ASIN = /^[A-Z\d]{10}$/;
const COMIC_VINE = /^\d{4}-\d{1,12}$/;
const WIKIDATA: Database = {
  label: 'Wikidata',
  id: /^Q\d{1,12}$/,
  address: 'https://www.wikidata.org/wiki/',
};

const musicBrainz = (entity: string): Database => ({
  label: 'MusicBrainz',
  id: UUID,
  address: `https://musicbrainz.org/${entity}/`,
});
const comicVine = (page: string): Database => ({
  label: 'Comic Vine',
  id: COMIC_VINE,
  address: `https://comicvine.gamespot.com/${page}/`,
});

/** The form of an item, from which some databases derive the address. */
export interface ItemForm {
  isShow: boolean;
  unit: MediaType['unit'];
}

function ofItem({ isShow, unit }: ItemForm): Databases {
  const film = isShow ? 'tv' : 'movie';
  const anime = unit === 'second' ? 'anime' : 'manga';
  return [
    ['imdb', { label: 'IMDb', id: /^tt\d{1,12}$/, address: 'https://www.imdb.com/title/' }],
    ['tmdb', { label: 'TMDB', id: NUMBER, address: `https://www.themoviedb.org/${film}/` }],
    ['tvmaze', { label: 'TVmaze', id: NUMBER, address: 'https://www.tvmaze.com/shows/' }],
    ['musicbrainz_release', musicBrainz('release')],
    ['musicbrainz_release_group', musicBrainz('release-group')],
    ['musicbrainz_recording', musicBrainz('recording')],
    ['wikidata', WIKIDATA],
    ['anilist', { label: 'AniList', id: NUMBER, address: `https://anilist.co/${anime}/` }],
    ['comicvine', comicVine('issue')],
    ['asin', { label: 'Audible', id: ASIN, address: 'https://www.audible.com/pd/' }],
  ];
}

const OF_PERSON: Databases = [
  ['imdb', { label: 'IMDb', id: /^nm\d{1,12}$/, address: 'https://www.imdb.com/name/' }],
  ['tmdb', { label: 'TMDB', id: NUMBER, address: 'https://www.themoviedb.org/person/' }],
  ['tvmaze', { label: 'TVmaze', id: NUMBER, address: 'https://www.tvmaze.com/people/' }],
  ['musicbrainz', musicBrainz('artist')],
  ['wikidata', WIKIDATA],
  ['anilist', { label: 'AniList', id: NUMBER, address: 'https://anilist.co/staff/' }],
  ['comicvine', comicVine('person')],
  ['audible', { label: 'Audible', id: ASIN, address: 'https://www.audible.com/author/' }],
];

type Ids = Readonly<Record<string, string>>;

/** Returns the links of a provider, then those of the ids without a link of the same label. */
export function itemLinks(ids: Ids, given: readonly ExternalLink[], form: ItemForm): ExternalLink[] {
  return merged(ids, given, ofItem(form));
}

/** Likewise for a person. */
export function personLinks(ids: Ids, given: readonly ExternalLink[]): ExternalLink[] {
  return merged(ids, given, OF_PERSON);
}

function merged(ids: Ids, given: readonly ExternalLink[], databases: Databases): ExternalLink[] {
  const safe = given.filter(({ url }) => isHttps(url));
  const labels = new Set(safe.map(({ label }) => label.toLowerCase()));
  const others = linksOf(ids, databases).filter(({ label }) => !labels.has(label.toLowerCase()));
  return [...distinct(safe, 'url'), ...distinct(others, 'label')];
}

function linksOf(ids: Ids, databases: Databases): ExternalLink[] {
  return databases.flatMap(([name, { label, id: pattern, address }]) => {
    const id = Object.hasOwn(ids, name) ? ids[name] : undefined;
    return id !== undefined && pattern.test(id) ? [{ label, url: address + encodeURIComponent(id) }] : [];
  });
}

/** Returns the first one of several links with an equal value. */
function distinct(links: readonly ExternalLink[], by: keyof ExternalLink): ExternalLink[] {
  return [...new Map(links.toReversed().map((link) => [link[by], link])).values()].toReversed();
}

/** Returns true for an address that is safe as a link. */
export function isHttps(url: string): boolean {
  try {
    return new URL(url).protocol === 'https:';
  } catch {
    return false;
  }
}
