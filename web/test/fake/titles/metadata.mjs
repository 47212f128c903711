/** Metadata of providers in the stand-in server: details, credits, pictures, absent episodes, and pages of people. */
import { ALBUM_COVERS, FILM_PICTURES } from './pictures.mjs';
import { SHOW } from './shows.mjs';

/** Items with metadata: a film, an album and the show. */
export const RICH_FILM = 194;
export const RICH_ALBUM = 183;
/** A person with films, books and an album, and one with more books than a shelf shows. */
export const ACTOR = 'Ida Brekkan';
export const NARRATOR = 'Jonas Aldermark';

/** Cast members and their characters. @type {[string, string | null][]} */
const CAST = [
  [ACTOR, 'Runa Holm'],
  [NARRATOR, 'Aske Lund'],
  ['Naima Osei-Hart', 'Insp. Dahl'],
  ['Per Gustavson', 'Halvard'],
  ['Lotte Vane', 'Mayor Friis'],
  ['Emil Torp', 'Young Runa’s brother'],
  ['Björk', null],
  ...Array.from({ length: 17 }, (_, at) => /** @type {[string, string]} */ ([`Extra ${at + 1}`, 'Villager'])),
];
/** Numbers of the cast whose portrait is known, or known but gone. */
const PORTRAITS = 5;
const LOST = 5;
const UUID = '5b11f4ce-a62d-471e-81fc-a69a8278c7da';

/**
 * The providers answer after the first request for a person. The text has markup, which no page may interpret.
 * @type {Record<string, object>}
 */
const LIFE = {
  [ACTOR]: {
    biography: [
      'Ida Brekkan is an actor from the north coast. <b>She</b> joined a travelling theatre at the age of sixteen and played in every harbour between the islands and the fjord. Critics praised the calm of her first film, which was made with a crew of four in nine days and never had a script.',
      'For two decades she divided her time between the stage and the studio. She translated plays, composed for the radio, and wrote a column about tides. The role of Runa Holm in the series about a lighthouse made her known in other countries, and she has directed two of its episodes.',
      'She lives on a boat, keeps bees on land, and answers no letters in winter. A foundation that carries her name pays for lessons of young musicians. It was funded by the sale of a single painting, whose painter she has never named, and which now hangs in a ferry terminal.',
    ].join('\n\n'),
    ...{ born: '1974-05-03', birthplace: 'Port Aven' },
    links: [
      { label: 'Wikipedia (en)', url: 'https://en.wikipedia.org/wiki/Ida_Brekkan' },
      { label: 'Trap', url: 'javascript:alert(1)' },
    ],
    attribution: [
      {
        ...{ provider: 'tmdb', provider_label: 'TMDB' },
        attribution: {
          text: 'This product uses the TMDB API but is not endorsed or certified by TMDB.',
          url: 'https://www.themoviedb.org',
        },
      },
      { provider: 'wikidata', provider_label: 'Wikidata', attribution: null },
    ],
  },
};
const NO_LIFE = {
  ...{ biography: null, born: null, died: null, birthplace: null, is_group: false },
  ...{ links: [], attribution: [], is_pending: false },
};

const EMPTY = {
  ...{ original_title: null, tagline: null, released: null, runtime: null, studios: [], countries: [] },
  ...{ collection: null, certificates: [], form: null, links: [], chapters: [], external_ids: {} },
  ...{ provider: 'tmdb', provider_label: 'TMDB', attribution: null },
};
/** @type {Record<number, any>} */
const DETAILS = {
  [SHOW]: {
    ...EMPTY,
    original_title: 'Saltlinjen',
    released: '2023-03-06',
    runtime: 51,
    studios: ['Nordhavn TV'],
    countries: ['NO'],
    certificates: [
      { country: 'US', rating: 'TV-14' },
      { country: 'DE', rating: '12' },
    ],
    external_ids: { tvmaze: '82', imdb: 'tt0944947', wikidata: 'Q23572' },
    ...{ provider: 'tvmaze', provider_label: 'TVmaze' },
    attribution: { text: 'Data from TVmaze, CC BY-SA 4.0', url: 'https://www.tvmaze.com/' },
  },
  [RICH_FILM]: {
    ...EMPTY,
    original_title: 'Le Voyage dans la Lune',
    tagline: 'The moon has a face, and it is not amused.',
    released: '1902-09-01',
    runtime: 14,
    studios: ['Star Film', 'Gaumont'],
    countries: ['FR'],
    collection: 'Early voyages',
    certificates: [
      { country: 'GB', rating: 'U' },
      { country: 'DE', rating: '6' },
    ],
    links: [{ label: 'Trailer', url: 'https://www.youtube.com/watch?v=_FrdVdKlxUk' }],
    external_ids: { imdb: 'tt0000417', tmdb: '775', wikidata: '"><script>', unknown: '1' },
  },
  [RICH_ALBUM]: {
    ...EMPTY,
    released: '2019-04-12',
    studios: ['Breakwater Records'],
    countries: ['GB'],
    form: 'album',
    external_ids: { musicbrainz_release: UUID },
    ...{ provider: 'musicbrainz', provider_label: 'MusicBrainz' },
  },
};
const ABSENT = [
  { season: 2, episode: 4, title: 'Low Water', air_date: '2024-03-27' },
  { season: 2, episode: 9, title: null, air_date: '2024-05-01' },
];

/**
 * @param {object} around
 * @param {boolean} around.isOn
 * @param {string[]} around.names all names; the index of a name, plus one, is the id of the person
 * @param {() => any[]} around.items
 */
export function metadata({ isOn, names, items }) {
  const idOf = (/** @type {string} */ name) =>
    names.includes(name) ? names.indexOf(name) + 1 : names.push(name);
  /** @type {Set<number>} */
  const favourites = new Set();
  /** People that a page has shown. @type {Set<string>} */
  const shown = new Set();

  /** @param {number} id */
  const castAt = (id) => CAST.findIndex(([name]) => name === names[id - 1]);
  /** @param {number} id */
  const portraitOf = (id) =>
    isOn && castAt(id) >= 0 && castAt(id) <= LOST ? `/api/v1/people/${id}/picture` : null;

  /** @param {string} name @param {string} role @param {string | null} [character] */
  const credit = (name, role, character = null) => {
    const id = idOf(name);
    return { id, name, role, character, portrait: portraitOf(id) };
  };

  /** People other than the authors. @param {any} item */
  function extraCredits(item) {
    if (!isOn) return [];
    const cast = CAST.map(([name, character]) => credit(name, 'actor', character));
    if (item.id === SHOW) return cast;
    if (item.id === RICH_FILM) return [credit('Georges Méliès', 'director'), ...cast.slice(0, 7)];
    if (item.id === RICH_ALBUM) return [credit(ACTOR, 'composer')];
    if (item.id === 195) return cast.slice(0, 1);
    if (item.id === 9) return [credit(ACTOR, 'translator')];
    return item.kind === 'books' && item.id <= 30 ? [credit(NARRATOR, 'narrator')] : [];
  }

  /** @param {any} item */
  const peopleOf = (item) => [
    ...item.authors
      .split(', ')
      .filter(Boolean)
      .map((/** @type {string} */ name) => credit(name, 'author')),
    ...extraCredits(item),
  ];

  /** @param {any} item @param {string} name */
  const isCredited = (item, name) =>
    item.authors.split(', ').includes(name) || extraCredits(item).some((one) => one.name === name);

  /** @param {any} item */
  function fieldsOf(item) {
    const details = isOn ? (DETAILS[item.id] ?? null) : null;
    return { details, ...(details === null ? {} : picturesOf(item.id)) };
  }

  /** @param {number} id */
  function picturesOf(id) {
    return id === RICH_FILM ? FILM_PICTURES : id === RICH_ALBUM ? ALBUM_COVERS : {};
  }

  /** @param {number} id */
  function person(id) {
    const name = names[id - 1];
    const counts = new Map();
    for (const item of name === undefined ? [] : items()) {
      for (const one of peopleOf(item)) {
        if (one.name !== name) continue;
        const key = `${one.role} ${item.kind}`;
        const count = counts.get(key) ?? { role: one.role, kind: item.kind, items: 0 };
        counts.set(key, { ...count, items: count.items + 1 });
      }
    }
    const roles = [...counts.values()].sort((a, b) => b.items - a.items);
    if (name === undefined || roles.length === 0) return refusal();
    const isPending = isOn && name in LIFE && !shown.has(name);
    shown.add(name);
    return {
      ...NO_LIFE,
      ...(isOn && !isPending ? LIFE[name] : { is_pending: isPending }),
      ...{ id, name, portrait: portraitOf(id), roles, rating: null, favourite: favourites.has(id) },
      external_ids: name === ACTOR ? { imdb: 'nm0000001', tmdb: '42', musicbrainz: 'x/../y' } : {},
    };
  }

  /** @param {number} id @param {boolean} marked */
  function favour(id, marked) {
    if (marked) favourites.add(id);
    else favourites.delete(id);
    return { status: 204 };
  }

  /** @param {number} id */
  function picture(id) {
    const at = castAt(id);
    if (at < 0 || at >= PORTRAITS) return refusal();
    const [skin, hair] = [['#e3b793', '#8d5a3c'][at % 2], ['#2b2224', '#6b4a31', '#a5572f'][at % 3]];
    const raw = Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="240" height="300"><rect width="240" height="300" fill="hsl(${at * 70} 25% 42%)"/>` +
        `<path d="M20 300c10-90 60-110 100-110s90 20 100 110z" fill="#20424e"/><ellipse cx="120" cy="120" rx="52" ry="66" fill="${skin}"/>` +
        `<path d="M66 118c-12-100 120-100 108 0-10-44-30-50-54-50s-44 6-54 50z" fill="${hair}"/></svg>`,
    );
    return { status: 200, raw, type: 'image/svg+xml' };
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray) => any][]} */
  const table = [
    ['GET', /^\/items\/(\d+)\/absent-episodes$/, (m) => ({ items: Number(m[1]) === SHOW ? ABSENT : [] })],
    ['GET', /^\/people\/(\d+)$/, (m) => person(Number(m[1]))],
    ['PUT', /^\/people\/(\d+)\/favourite$/, (m) => favour(Number(m[1]), true)],
    ['DELETE', /^\/people\/(\d+)\/favourite$/, (m) => favour(Number(m[1]), false)],
    ['GET', /^\/people\/(\d+)\/picture$/, (m) => picture(Number(m[1]))],
  ];
  return { table, peopleOf, isCredited, fieldsOf, favourites, idOf };
}

function refusal() {
  return { status: 404, body: { error: { code: 'not_found', message: 'No such person.' } } };
}
