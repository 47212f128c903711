/** Data of the stand-in server: five kinds, a few hundred items, people, libraries and jobs. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { apps } from './settings/apps.mjs';
import { metadata as providerSettings } from './settings/metadata.mjs';
import { bulk } from './bulk.mjs';
import { covers } from './covers.mjs';
import { collections } from './collections.mjs';
import { dashboard } from './dashboard.mjs';
import { imports } from './imports.mjs';
import { metadata } from './titles/metadata.mjs';
import { organise } from './organise.mjs';
import { playlists } from './playlists.mjs';
import { previewRoutes } from './titles/previews.mjs';
import { series as seriesPages } from './titles/series.mjs';
import { DAILY, dailyFiles, dailyItem } from './titles/daily.mjs';
import { SHOW, showFiles, showItem, showPictures, shows } from './titles/shows.mjs';
import { statistics } from './statistics.mjs';
import { search } from './search.mjs';
import { works as titles } from './titles/works.mjs';

/** A film of twelve seconds that every browser plays. */
const film = readFileSync(
  fileURLToPath(new URL('../../../tests/fixtures/media/deep-zoom.webm', import.meta.url)),
);
const FILM_SECONDS = 12;
/** Picture of a game's screen. */
const picture = readFileSync(fileURLToPath(new URL('../../public/icon-192.png', import.meta.url)));
/** A film with subtitles, and a series of three episodes: these play, other films do not. */
export const FILM = 194;
export const SERIAL = 196;
/** A game with saves: in a slot, in its cartridge, and in a slot of another program. */
export const GAME = 198;
/** Two of the audio items are albums, the others are audiobooks. */
export const ALBUM = 183;
export const SECOND_ALBUM = 186;

/**
 * @typedef {object} Options
 * @property {boolean} loggedIn
 * @property {'admin' | 'user'} role
 * @property {'normal' | 'wrong' | 'throttled'} login
 * @property {'full' | 'empty' | 'ungranted'} content
 * @property {'done' | 'running' | 'failed' | 'errors' | 'never'} scan
 * @property {boolean} slow lists are never answered.
 * @property {boolean} failing Lists answer 500.
 * @property {boolean} missing Some items are missing.
 * @property {boolean} fresh No item was opened yet.
 * @property {boolean} offline Positions are rejected: 503.
 * @property {number} many number of books, unless it is 0
 * @property {boolean} away films are not served: 503.
 * @property {number} playlists Entries of the long playlist
 * @property {number} collections items of the long collection
 * @property {number} show episodes in the last season of a show, which does not exist without them
 * @property {boolean} daily a show whose episodes are numbered by date, with two versions of another episode
 * @property {'full' | 'none' | 'off'} statistics
 * @property {'normal' | 'quiet' | 'warnings'} server what the dashboard shows
 * @property {boolean} backupFolder
 * @property {number} passwords app passwords of the user
 * @property {boolean} protocols protocols of other apps are switched on.
 * @property {boolean} enriching Metadata of the libraries are requested.
 * @property {boolean} enrichByEnvironment the environment switches lookups after scans on.
 * @property {boolean} metadata A film, an album and the show have metadata of providers.
 * @property {boolean} works A book and its recording are one title.
 * @property {'chapters' | 'fraction'} handover derivation of positions in another form
 */

const icons = {
  leaf: 'M11 20A7 7 0 0 1 9.8 6.1C15.5 5 17 4.48 19 2c1 2 2 4.18 2 8 0 5.5-4.78 10-10 10ZM2 21c0-3 1.85-5.36 5.08-6',
  books:
    'M12 5v16M20 19a2 2 0 0 0 2-2V5a2 2 0 0 0-2-2h-4a5 5 0 0 0-4 2 5 5 0 0 0-4-2H4a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h4a5 5 0 0 1 4 2 5 5 0 0 1 4-2z',
  audio:
    'M3 14h3a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a9 9 0 0 1 18 0v7a2 2 0 0 1-2 2h-1a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2h3',
  video:
    'm12.296 3.464 3.02 3.956M20.2 6 3 11l-.9-2.4c-.3-1.1.3-2.2 1.3-2.5l13.5-4c1.1-.3 2.2.3 2.5 1.3zM3 11h18v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM6.18 5.276l3.1 3.899',
  games:
    'M6 11h4M8 9v4M15 12h.01M18 10h.01M17.32 5H6.68a4 4 0 0 0-3.978 3.59C2.604 9.416 2 14.456 2 16a3 3 0 0 0 3 3c1 0 1.5-.5 2-1l1.414-1.414A2 2 0 0 1 9.828 16h4.344a2 2 0 0 1 1.414.586L17 18c.5.5 1 1 2 1a3 3 0 0 0 3-3c0-1.545-.604-6.584-.685-7.258A4 4 0 0 0 17.32 5z',
};

const subkinds = {
  audio: [
    subkind('album', 'Album', 'Albums', 'track', { label: 'Album', label_plural: 'Alben' }),
    subkind('audiobook', 'Audiobook', 'Audiobooks', 'chapter', {
      label: 'Hörbuch',
      label_plural: 'Hörbücher',
    }),
  ],
};

/** @param {string} id @param {string} label @param {string} plural @param {string} part @param {object} de */
function subkind(id, label, plural, part, de) {
  return { id, label, label_plural: plural, part, labels: { de } };
}

const kinds = [
  kind('books', 'Book', 'Books', icons.books, 78, 'book', 2 / 3, 'read', { epub: 'epub' }),
  kind('audio', 'Audio', 'Audio', icons.audio, 22, 'sleeve', 1, 'listen', { mp3: 'audio', wav: 'audio' }),
  kind('video', 'Video', 'Videos', icons.video, 245, 'case', 2 / 3, 'watch', { mp4: 'video' }),
  kind('games', 'Game', 'Games', icons.games, 155, 'box', 5 / 7, 'play', { gbc: 'game' }),
  kind('herbarium', 'Pressed plant', 'Herbarium', icons.leaf, 120, 'sheet', 0.8, 'look at', {
    plant: 'press',
  }),
];

/**
 * @param {string} id @param {string} label @param {string} plural @param {string} icon @param {number} hue
 * @param {string} shape @param {number} aspect @param {string} verb @param {Record<string, string>} viewers
 */
function kind(id, label, plural, icon, hue, shape, aspect, verb, viewers) {
  return {
    id,
    label,
    label_plural: plural,
    icon,
    hue,
    shape,
    aspect,
    verb,
    unit: { books: 'page', herbarium: 'none' }[id] ?? 'second',
    subkinds: subkinds[/** @type {'audio'} */ (id)] ?? [],
    extensions: Object.keys(viewers),
    viewers,
  };
}

/** @type {Record<string, [string, string | null, number | null][]>} */
const works = {
  books: [
    ['Emma', 'Jane Austen', 1815],
    ['Dracula', 'Bram Stoker', 1897],
    ['Frankenstein', 'Mary Shelley', 1818],
    ['Meditations', 'Marcus Aurelius', 180],
    ['Middlemarch', 'George Eliot', 1871],
    ['Moby-Dick', 'Herman Melville', 1851],
    ['On the Origin of Species', 'Charles Darwin', 1859],
    ['The Odyssey', 'Homer', null],
    ['Persuasion', 'Jane Austen', 1817],
    ['The Time Machine', 'H. G. Wells', 1895],
    ['Walden', 'Henry David Thoreau', 1854],
    ['Twenty Thousand Leagues Under the Sea', 'Jules Verne', 1870],
    ['Jane Eyre', 'Charlotte Brontë', 1847],
    ['Wuthering Heights', 'Emily Brontë', 1847],
    ['The Strange Case of Dr Jekyll and Mr Hyde', 'Robert Louis Stevenson', 1886],
    ['紅楼夢', '曹雪芹', 1791],
    ['Don Quixote', 'Miguel de Cervantes', 1605],
    ['Bartleby', 'Herman Melville', 1853],
    ['Les Misérables', 'Victor Hugo', 1862],
    ['Anna Karenina', 'Leo Tolstoy', 1878],
    ['Kim', 'Rudyard Kipling', 1901],
    ['North and South', 'Elizabeth Gaskell', 1855],
    ['Quo Vadis', 'Henryk Sienkiewicz', 1896],
    ['Utopia', 'Thomas More', 1516],
    ['Great Expectations', 'Charles Dickens', 1861],
    ['Hunger', 'Knut Hamsun', 1890],
    ['Lord Jim', 'Joseph Conrad', 1900],
    ['Vanity Fair', 'William Makepeace Thackeray', 1848],
    ['Cranford', 'Elizabeth Gaskell', 1853],
    ['Ruslan and Ludmila', 'Alexander Pushkin', 1820],
  ],
  audio: [
    ['Goldberg Variations', 'J. S. Bach', 2015],
    ['Moby-Dick', 'Herman Melville', 1851],
    ['Low Lanterns', 'The Harbour Lights', 2019],
    ['Fieldnotes', 'Ada Marsh', 2021],
    ['North by Night', 'Polar Post', 2017],
    ['Sea Songs', 'Marit Vik', 2012],
    ['Kind of Late', 'Quiet Trio', 1998],
    ['Winterreise', 'Franz Schubert', 1827],
    ['Open Strings', 'Ada Marsh', 2023],
  ],
  video: [
    ['Metropolis', 'Fritz Lang', 1927],
    ['Sintel', 'Colin Levy', 2010],
    ['Big Buck Bunny', 'Sacha Goedegebure', 2008],
    ['Tears of Steel', 'Ian Hubert', 2012],
    ['A Trip to the Moon', 'Georges Méliès', 1902],
    ['Nosferatu', 'F. W. Murnau', 1922],
    ['The General', 'Buster Keaton', 1926],
    ['Sherlock Jr.', 'Buster Keaton', 1924],
  ],
  games: [
    ['Flappy Bird', null, 2015],
    ['Geometrix', null, 2000],
    ['µCity', 'Antonio Niño', 2017],
    ['Nova the Squirrel', 'NovaSquirrel', 2018],
    ['Tobu Tobu Girl', 'Tangram Games', 2017],
    ['Libbet and the Magic Floor', 'Damian Yerrick', 2018],
  ],
  herbarium: [
    ['Marsh marigold', 'A. Gray', 1881],
    ['Wood anemone', 'A. Gray', 1880],
    ['Harebell', 'E. Sundt', 1902],
  ],
};

/** Works whose volumes are a series. */
const seriesNames = ['Emma', 'Dracula', 'Moby-Dick'];
const article = /^(the|a|an) /i;
/** Values of the orders in which unknown values come last. @type {[string, (item: any) => any][]} */
const lastValues = [
  ['rating', (item) => item.rating],
  ['last_played', (item) => item.progress?.updated_at],
  ['duration', (item) => item.duration],
  ['pages', (item) => item.pages],
  ['size', (item) => item.size],
  ['released', (item) => item.released],
];
const LAST = new Map(lastValues);
const sortKey = (/** @type {string} */ title) => title.replace(article, '').toLocaleLowerCase();

/** @param {Partial<Options>} given */
export function world(given) {
  /** @type {Options} */
  const options = {
    loggedIn: true,
    role: 'admin',
    login: 'normal',
    content: 'full',
    scan: 'done',
    slow: false,
    failing: false,
    missing: false,
    fresh: false,
    offline: false,
    away: false,
    many: 0,
    playlists: 0,
    collections: 0,
    show: 0,
    daily: false,
    statistics: 'full',
    server: 'normal',
    backupFolder: true,
    passwords: 0,
    protocols: true,
    enriching: false,
    enrichByEnvironment: false,
    metadata: false,
    works: false,
    handover: 'chapters',
    ...given,
  };
  const items = options.many > 0 ? makeMany(options.many) : makeItems();
  if (options.show > 0) items.push(showItem(stamp(20)));
  if (options.daily) items.push(dailyItem(stamp(19)));
  const filesOf = (/** @type {any} */ item) =>
    item.id === SHOW ? showFiles(options.show) : item.id === DAILY ? dailyFiles() : usualFilesOf(item);
  const authors = [...new Set(items.flatMap((item) => item.authors.split(', ').filter(Boolean)))];
  const described = metadata({ isOn: options.metadata, names: authors, items: () => shownItems() });
  /** The stored positions by file, their history by item, and all writes. @type {any[]} */
  const written = [];
  const asked = attempts();
  /** @type {Map<number, any>} */
  const rows = new Map();
  /** @type {Map<number, any[]>} */
  const former = new Map();
  /** @type {Map<number, string[]>} */
  const locks = new Map([[182, ['title']]]);
  const saves = savesOf();
  let views = 0;
  let past = 0;
  const libraries = [
    library(1, 'Shared house', '/srv/media/house', null),
    library(2, 'Old records', '/srv/media/records', ['audio']),
  ];
  const users = [
    user(1, 'marit', 'admin', false),
    user(2, 'jonas', 'user', false),
    user(3, 'guest', 'user', true),
  ];

  const organised = organise(items, {
    isAdmin: () => options.role === 'admin',
    select: (q) => selection(q),
    stateOf: (item) => stateOf(item),
    kinds,
    libraries: () => libraries,
  });
  const original = (/** @type {number} */ id) => items.find((one) => one.id === id);
  const edits = bulk({
    isAdmin: () => options.role === 'admin',
    itemOf: original,
    select: (q) => selection(q).map(({ id }) => original(id)),
    organised,
    finish: (item, finished) => {
      for (const file of filesOf(item)) {
        if (!finished) rows.delete(file.id);
        else if (!rows.get(file.id)?.finished) store(file, { position: file.extent ?? 0, finished });
      }
    },
    progressOf: (item) => filesOf(item).map((file) => [file.id, rows.get(file.id)]),
    restoreProgress: (places) => {
      for (const [id, row] of places) {
        if (row) rows.set(id, row);
        else rows.delete(id);
      }
    },
  });

  /** @param {number} id @param {string} name @param {string} path @param {string[] | null} limited */
  function library(id, name, path, limited) {
    const counts = Object.fromEntries(
      kinds.map((one) => [
        one.id,
        items.filter((item) => item.kind === one.id && item.library_id === id).length,
      ]),
    );
    return {
      id,
      name,
      path,
      kinds: limited,
      created_at: stamp(90),
      granted: true,
      available: true,
      watch: 'off',
      watch_error: null,
      counts,
      missing: 0,
    };
  }
  /** History of this user. */
  function begin() {
    /** @type {[number, number, number, number][]} */
    const begun = [
      [6, 0, 0.61, 0.1],
      [182, 2, 0.45, 0.4],
      [190, 0, 0.36, 0.9],
      [2, 0, 0.12, 2],
      [4, 0, 0.72, 5],
    ];
    for (const [item, part, share, days] of begun) {
      const one = /** @type {any} */ (items.find((entry) => entry.id === item));
      const file = /** @type {any} */ (filesOf(one)[part]);
      for (const earlier of filesOf(one).slice(0, part))
        store(earlier, { position: 60, finished: true }, days + 1);
      store(file, { position: Math.round((file.extent ?? 0) * share) }, days);
    }
    const done = filesOf(/** @type {any} */ (items.find((entry) => entry.id === 3)))[0];
    store(done, { position: 40, finished: true }, 9);
    former.set(182, [
      rowOf(filesOf(items[181])[0], { position: 41 }, 3),
      rowOf(filesOf(items[181])[1], { position: 24 }, 2),
    ]);
    for (const id of [10, 185, 191])
      /** @type {any} */ (items.find((entry) => entry.id === id)).favourite = true;
  }

  /** @param {any} file @param {any} body @param {number} days */
  function rowOf(file, body, days) {
    const finished = body.finished ?? false;
    return {
      file_id: file.id,
      position: body.position,
      extent: file.extent,
      fraction: finished ? 1 : file.extent ? body.position / file.extent : null,
      finished,
      locator: body.locator ?? null,
      within: body.within ?? null,
      updated_at: body.recorded_at ?? stamp(days),
      id: ++past,
      replaced_at: stamp(days),
    };
  }

  /** @param {any} file @param {any} body @param {number} [days] */
  function store(file, body, days = 0) {
    const old = rows.get(file.id);
    const row = rowOf(file, body, days);
    if (old && old.updated_at > row.updated_at) return { ...old, applied: false };
    const item = Math.floor(file.id / 100);
    if (old) former.set(item, [old, ...(former.get(item) ?? [])].slice(0, 50));
    rows.set(file.id, row);
    return { ...row, applied: true };
  }

  /** @param {RegExpMatchArray} m */
  function restore(m) {
    const row = (former.get(Number(m[1])) ?? []).find((one) => one.id === Number(m[2]));
    if (!row) return refusal(404, 'not_found', 'No such place.');
    const file = filesOf(itemOf(/** @type {string} */ (m[1]))).find((one) => one.id === row.file_id);
    return { status: 200, body: store(file, { ...row, recorded_at: stamp(0) }) };
  }

  /** @param {URLSearchParams} q @param {{ id: number, name: string, items: number }[]} all */
  function names(q, all) {
    const text = (q.get('q') ?? '').toLocaleLowerCase();
    const found = all.filter((one) => one.items > 0 && one.name.toLocaleLowerCase().includes(text));
    return paged(
      q,
      found.toSorted((a, b) => a.name.localeCompare(b.name)),
    );
  }
  const people = () => {
    // Counts all names at once: one by one takes half a minute for ten thousand items.
    const works = new Map();
    for (const item of shownItems()) {
      for (const name of new Set(item.authors.split(', '))) works.set(name, (works.get(name) ?? 0) + 1);
    }
    return authors.map((name, index) => ({ id: index + 1, name, items: works.get(name) ?? 0 }));
  };
  /** @param {string | null} kind */
  const series = (kind) =>
    seriesNames.map((name, index) => ({
      id: index + 1,
      name,
      items: shownItems().filter((one) => seriesOf(one) === name && (kind ?? one.kind) === one.kind).length,
    }));

  /** @param {any} item */
  function progressOf(item) {
    const files = filesOf(item);
    const mine = files.flatMap((file) => rows.get(file.id) ?? []);
    const newest = mine.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1))[0];
    if (!newest) return null;
    const row = without(newest, 'locator', 'within');
    const whole = files.reduce((sum, file) => sum + (file.extent ?? 0), 0);
    const read = mine.reduce((sum, one) => sum + (one.finished ? (one.extent ?? 0) : one.position), 0);
    const last = rows.get(/** @type {any} */ (files.at(-1)).id);
    const finished = last?.finished ?? false;
    return { ...row, item_fraction: finished ? 1 : whole ? read / whole : null, item_finished: finished };
  }

  /** @param {string} id */
  const itemOf = (id) => shownItems().find((one) => one.id === Number(id));

  /** @param {RegExpMatchArray} m */
  function leaveMatch([, , provider]) {
    for (const one of asked) if (one.provider === provider) one.is_current = false;
  }

  /** @param {RegExpMatchArray} m @param {any} body */
  function takeMatch(m, body) {
    const found = candidates.find((one) => one.provider_id === body.provider_id);
    const item = itemOf(/** @type {string} */ (m[1]));
    if (!found || !item) return refusal(404, 'not_found', 'Not found.');
    leaveMatch(m);
    asked.unshift({
      ...{
        ...without(found, 'subtitle'),
        provider: String(m[2]),
        outcome: 'ok',
        query: found.title,
        score: null,
      },
      ...{ fetched_at: stamp(0), error: null, is_current: true, is_chosen: true },
    });
    item.year = found.year;
    return { status: 200, body: item };
  }

  /** @param {RegExpMatchArray} m @param {any} body */
  function putProgress(m, body) {
    if (options.offline) return refusal(503, 'unavailable', 'The database cannot be reached.');
    const item = itemOf(/** @type {string} */ (m[1]));
    const file = item && filesOf(item).find((one) => one.id === body.file_id);
    if (!file) return refusal(422, 'invalid', 'No such file of this item.', 'file_id');
    if (file.extent !== null && body.position > file.extent)
      return refusal(422, 'invalid', 'Beyond the end of the file.', 'position');
    written.push({ item_id: item.id, ...body });
    return { status: 200, body: store(file, body) };
  }

  /** @param {RegExpMatchArray} m */
  function forget(m) {
    for (const file of filesOf(itemOf(/** @type {string} */ (m[1])))) {
      const row = rows.get(file.id);
      if (row) former.set(Number(m[1]), [row, ...(former.get(Number(m[1])) ?? [])]);
      rows.delete(file.id);
    }
    return nothing();
  }

  /** @param {RegExpMatchArray} m @param {boolean} marked */
  function favour(m, marked) {
    const item = items.find((one) => one.id === Number(m[1]));
    if (!item) return refusal(404, 'not_found', 'No such item.');
    item.favourite = marked;
    return nothing();
  }

  /** @param {RegExpMatchArray} m @param {any} body */
  function change(m, body) {
    const item = items.find((one) => one.id === Number(m[1]));
    if (!item) return refusal(404, 'not_found', 'No such item.');
    if (body.title?.trim() === '') return refusal(422, 'invalid', 'A title must not be empty.', 'title');
    if (body.year > 9999) return refusal(422, 'invalid', 'A year is at most 9999.', 'year');
    const locked = new Set(locks.get(item.id) ?? []);
    for (const field of body.unlock ?? []) locked.delete(field);
    for (const field of ['title', 'year', 'authors', 'description', 'genres', 'language'])
      if (field in body) locked.add(field);
    locks.set(item.id, [...locked]);
    organised.edit(item, body);
    if ('title' in body) item.title = body.title;
    if ('year' in body) item.year = body.year;
    if ('authors' in body) item.authors = body.authors.join(', ');
    if ('description' in body) item.description = body.description;
    return { status: 200, body: detail(item.id) };
  }

  /** The file to continue with, as the server describes it. @param {any} entry */
  function continued({ item, file_id, progress }) {
    const files = filesOf(item);
    const at = files.findIndex((file) => file.id === file_id);
    const file = /** @type {any} */ (files[at]);
    const left = file.extent === null ? null : file.extent - progress.position;
    const later = files.slice(at + 1).reduce((sum, one) => sum + (one.extent ?? 0), 0);
    const isPart = file.part !== null;
    return {
      id: file.id,
      name: file.name,
      title: file.title,
      unit: file.unit,
      extent: file.extent,
      season: file.season,
      episode: file.episode,
      part: isPart ? at + 1 : null,
      parts: isPart ? files.length : null,
      chapter: isPart ? { number: at + 1, count: files.length, title: '' } : null,
      left,
      item_left: left === null || file.season !== null ? null : left + (isPart ? later : 0),
    };
  }

  function home() {
    const shown = shownItems()
      .filter((item) => !item.missing)
      .map(judged);
    const entries = historyRows().filter(({ item }) => !item.progress.item_finished);
    const opened = shown.filter((item) => [1, 8, 181, 183, 190, 193].includes(item.id));
    const suggested = shown.filter((item) => [9, 197, 12, 192, 184, 13, 186, 198].includes(item.id));
    return {
      continue: forms
        .newest(entries)
        .map((entry) => ({ ...entry, file: continued(entry), forms: forms.formsOf(entry.item.id) })),
      most_viewed: options.fresh ? [] : opened.map((item, index) => ({ item, views: 9 - index })),
      suggestions: options.fresh
        ? []
        : suggested.map((item, index) => ({
            item,
            reason: 'Because of what you read',
            reason_code: index === 0 ? 'author' : 'kind',
            reason_arg: index === 0 ? item.authors : item.kind,
          })),
      recently_added: kinds
        .map((one) => ({
          kind: one.id,
          items: shown
            .filter((item) => item.kind === one.id)
            .sort((a, b) => (a.added_at < b.added_at ? 1 : -1))
            .slice(0, 20),
        }))
        .filter((shelf) => shelf.items.length > 0),
      explore: shown.filter((_, index) => index % 19 === 3),
      up_next: ordered.upNext(),
    };
  }

  /** One entry per item, with its latest position. */
  function historyRows() {
    return shownItems()
      .filter((item) => item.progress !== null)
      .map((item) => {
        item = judged(item);
        const progress = without(item.progress, 'item_fraction', 'item_finished');
        return { item, file_id: progress.file_id, progress };
      })
      .sort((a, b) => (a.progress.updated_at < b.progress.updated_at ? 1 : -1));
  }

  /** @param {URLSearchParams} q @param {any[]} all */
  function paged(q, all) {
    const offset = Number(q.get('offset') ?? 0);
    const limit = Number(q.get('limit') ?? 60);
    return { items: all.slice(offset, offset + limit), total: all.length, offset, limit };
  }

  /** Like `engines=`: every other film is not playable. @param {any} item */
  function judged(item) {
    const films = item.kind === 'video' && item.id % 2 === 1;
    return {
      ...item,
      plays: films ? false : ['audio', 'video'].includes(item.kind) ? true : null,
      plays_reason: films ? 'vcodec:mpeg4' : null,
    };
  }

  const me = () => ({ ...users[0], role: options.role });
  const shownItems = () =>
    options.many > 0
      ? items // nothing was begun there, and each request would walk all of them
      : options.content === 'full'
        ? items.map((item) => ({
            ...item,
            rating: organised.ratingOf(item),
            progress: progressOf(item),
            missing: options.missing && item.id % 7 === 0,
          }))
        : [];
  const shownLibraries = () =>
    options.content === 'full' ? libraries.map((one) => ({ ...one, missing: options.missing ? 14 : 0 })) : [];

  const importing = imports({ usernames: () => users.map(({ username }) => username), stamp });
  const forms = titles({
    options,
    itemOf: (id) => shownItems().find((one) => one.id === id),
    cardOf: judged,
    filesOf,
    progressOf,
    isAdmin: () => options.role === 'admin',
  });
  const searching = search({ items: () => shownItems(), kinds: kinds.map(({ id }) => id), cardOf: judged });
  const listed = playlists({
    itemOf: (id) => shownItems().find((one) => one.id === id),
    filesOf,
    picture,
    user: () => me(),
  });
  if (options.playlists) {
    const { make, jonas } = listed;
    const mine = listed.me();
    make('Autumn evenings', mine, [181, ALBUM, FILM], {
      description: 'Quiet records for the first cold days, and a film at the end.',
      public: true,
      days: 1,
    });
    make('Sea', mine, [SECOND_ALBUM, 182], { days: 12 });
    make('Empty shelf', mine, [], { days: 40 });
    make('Kitchen radio', jonas, [187, 185], { public: true, days: 3 });
    const long = make('Everything', mine, [], { days: 90 });
    long.entries = Array.from({ length: options.playlists }, (_, at) => ({
      ...{ id: 1_000_000 + at, added: stamp(2) },
      file: filesOf(items[180 + (at % 9)])[Math.floor(at / 9) % 6],
    }));
  }

  const gathered = collections({
    items: () => shownItems(),
    valuesOf: ruleValues,
    sorted: (all, sort, order) => inOrder([...all], sort, order),
    picture,
    user: () => me(),
  });
  if (options.collections) {
    const { make } = gathered;
    const mine = gathered.me();
    make('Sea voyages', mine, {
      description: 'Ships, whales and lighthouses.',
      public: true,
      items: [6, 182, 190, 191, 8, 3],
      days: 1,
    });
    make('Rated well', mine, {
      rule: {
        all: [
          { field: 'rating', op: 'greater', value: 4 },
          {
            any: [
              { field: 'kind', op: 'one_of', value: ['books', 'video'] },
              { field: 'year', op: 'between', value: [1800, 1900] },
            ],
          },
        ],
        ...{ sort: 'year', order: 'desc', limit: 100 },
      },
      days: 4,
    });
    make('Empty shelf', mine, { days: 40 });
    make('Old films', listed.jonas, {
      rule: { all: [{ field: 'kind', op: 'is', value: 'video' }] },
      public: true,
      days: 3,
    });
    const ids = items.slice(0, options.collections).map(({ id }) => id);
    make('Everything', mine, { items: ids, days: 90 });
  }
  const shown = shows({
    itemOf: (id) => items.find((one) => one.id === id),
    filesOf,
    rows,
    store,
    hasSummaries: options.metadata,
  });
  if (!options.fresh && options.many === 0) begin();
  if (!options.fresh && options.show > 0) {
    shown.begin();
    // A finished volume of a series: the next one is up next.
    store(filesOf(items[0])[0], { position: 40, finished: true }, 8);
  }
  const ordered = seriesPages({
    items: () => shownItems(),
    names: seriesNames,
    ...{ seriesOf, numberOf, cardOf: judged },
  });
  /** The values of an item for a field of rules. @param {any} item @param {string} field @returns {any[]} */
  function ruleValues(item, field) {
    const fields = organised.fieldsOf(item);
    /** @type {Record<string, () => any[]>} */
    const values = {
      author: () => item.authors.split(', '),
      series: () => [seriesOf(item)],
      genre: () => fields.genres,
      tag: () => fields.tags.map((/** @type {any} */ one) => one.name),
      language: () => [fields.language],
      library: () => [item.library_id],
      state: () => [stateOf(item)],
      plays: () => (item.kind === 'video' ? [] : ['html5']),
      finished_at: () => (item.progress?.item_finished ? [item.progress.updated_at] : []),
    };
    const found = Object.hasOwn(values, field) ? values[field]?.() : [item[field]];
    return (found ?? []).filter((one) => one !== null && one !== undefined);
  }

  const stats = statistics(
    {
      items: () => shownItems(),
      genresOf: (item) => organised.fieldsOf(item).genres,
      ...{ authors, kinds, paged, refusal },
    },
    options,
  );
  const board = dashboard({ libraries: shownLibraries, job, refusal }, options);
  const connected = apps(options, () => me());
  const provided = providerSettings(options);

  /** Jobs that were retried. @type {Set<number>} */
  const retried = new Set();
  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any, expected: string | null) => any][]} */
  const table = [
    ...listed.table,
    ...gathered.table,
    ...shown.table,
    ...ordered.table,
    ...archives.map((pattern) => /** @type {any} */ (['GET', pattern, archive])),
    ...stats.table,
    ...board.table,
    ...connected.table,
    ...provided.table,
    [
      'GET',
      /^\/auth\/me$/,
      () => (options.loggedIn ? me() : refusal(401, 'unauthenticated', 'Log in first.')),
    ],
    ['POST', /^\/auth\/login$/, login],
    ['POST', /^\/auth\/logout$/, () => nothing()],
    [
      'GET',
      /^\/version$/,
      () => ({ name: 'ledge', version: '0.1.0', commit: '3f2a91c0de55', api: 'v1', schema: 1 }),
    ],
    ['GET', /^\/media-types$/, () => ({ items: kinds })],
    ['GET', /^\/libraries$/, () => ({ items: shownLibraries() })],
    ['GET', /^\/libraries\/(\d+)$/, (m) => found(shownLibraries().find((one) => one.id === Number(m[1])))],
    ['POST', /^\/libraries$/, () => refusal(422, 'invalid', 'There is no such folder.', 'path')],
    ['GET', /^\/libraries\/\d+\/grants$/, () => ({ items: [{ user_id: 1, username: 'marit' }] })],
    ['GET', /^\/libraries\/(\d+)\/scan\/status$/, (m) => scanStatus(Number(m[1]))],
    ['GET', /^\/directories$/, (_, q) => directories(q.get('path') ?? '/srv/media')],
    ['GET', /^\/users$/, () => ({ items: users })],
    ['GET', /^\/users\/(\d+)$/, (m) => found(userDetail(Number(m[1])))],
    ...covers(picture, locks),
    ['GET', /^\/items$/, (_, q) => list(q)],
    ['GET', /^\/items\/letters$/, (_, q) => letters(q)],
    ['GET', /^\/items\/subkinds$/, (_, q) => subkindCounts(q)],
    ['PATCH', /^\/items$/, (_, __, b) => edits.edit(b)],
    ['POST', /^\/edits\/(\d{1,3})\/undo$/, (m) => edits.undo(Number(m[1]))],
    ['POST', /^\/items\/enrich$/, () => ({ status: 202, body: { job_id: 77 } })],
    ['GET', /^\/items\/facets$/, (_, q) => organised.facets(q)],
    ['GET', /^\/genres$/, (_, q) => names(q, organised.genres(q))],
    ['GET', /^\/tags$/, (_, q) => names(q, organised.countedTags())],
    ['PUT', /^\/items\/(\d+)\/tags$/, (m, _, b) => organised.setTags(itemOf(String(m[1])), b)],
    ['PUT', /^\/items\/(\d+)\/rating$/, (m, _, b) => organised.rate(itemOf(String(m[1])), b.rating)],
    ['DELETE', /^\/items\/(\d+)\/rating$/, (m) => organised.rate(itemOf(String(m[1])), null)],
    ['GET', /^\/items\/(\d+)$/, (m) => found(detail(Number(m[1])))],
    ['PATCH', /^\/items\/(\d+)$/, (m, _, b) => change(m, b)],
    ['PUT', /^\/items\/(\d+)\/favourite$/, (m) => favour(m, true)],
    ['DELETE', /^\/items\/(\d+)\/favourite$/, (m) => favour(m, false)],
    ['POST', /^\/items\/(\d+)\/view$/, () => ({ views: ++views })],
    ['PUT', /^\/items\/(\d+)\/progress$/, (m, _, b) => putProgress(m, b)],
    ['DELETE', /^\/items\/(\d+)\/progress$/, (m) => forget(m)],
    [
      'GET',
      /^\/items\/(\d+)\/progress\/history$/,
      (m, q) => ({
        items: q.has('before') || q.has('late') ? [] : (former.get(Number(m[1])) ?? []),
      }),
    ],
    ['POST', /^\/items\/(\d+)\/progress\/history\/(\d+)\/restore$/, (m) => restore(m)],
    [
      'GET',
      /^\/items\/(\d+)\/saves$/,
      (m) => ({
        items: (Number(m[1]) === GAME ? [...saves] : []).map(([slot, [now]]) => ({
          ...without(now, 'bytes', 'saved_at', 'n'),
          slot,
          updated_at: now.saved_at,
        })),
      }),
    ],
    [
      'GET',
      /^\/items\/\d+\/saves\/([\w-]+)\/versions$/,
      (m) => {
        const all = saves.get(String(m[1]));
        if (!all) return refusal(404, 'not_found', 'Never saved to.');
        return { items: all.slice(1).map((/** @type {any} */ one) => without(one, 'bytes')) };
      },
    ],
    [
      'GET',
      /^\/items\/\d+\/saves\/([\w-]+)(?:\/versions\/(\d+))?$/,
      (m) => {
        const all = saves.get(String(m[1])) ?? [];
        const one = m[2] ? all.find(({ n }) => n === Number(m[2])) : all[0];
        return one
          ? { status: 200, raw: one.bytes, type: 'application/octet-stream' }
          : refusal(404, 'not_found', 'No such save.');
      },
    ],
    [
      'PUT',
      /^\/items\/\d+\/saves\/([\w-]+)$/,
      (m, _, b) => {
        const all = saves.get(String(m[1])) ?? [];
        if ((all[0]?.sha256 ?? null) !== b.over)
          return refusal(412, 'precondition_failed', 'Another device saved in between.');
        const made = save(b.bytes, (all[0]?.n ?? 0) + 1, 0);
        saves.set(String(m[1]), [made, ...all]);
        return { ...without(made, 'bytes', 'saved_at', 'n'), slot: m[1], updated_at: made.saved_at };
      },
    ],
    ...forms.table,
    ...importing.table,
    ...described.table,
    ['GET', /^\/people$/, (_, q) => names(q, people())],
    ['GET', /^\/series$/, (_, q) => names(q, series(q.get('kind')))],
    [
      'POST',
      /^\/files\/(\d+)\/link$/,
      (m) => ({ url: `/api/v1/files/${m[1]}/content?ticket=abc`, expires_at: stamp(-0.25) }),
    ],
    ['GET', /^\/providers$/, () => ({ items: providers })],
    ['GET', /^\/items\/(\d+)\/matches$/, () => ({ items: asked })],
    ['POST', /^\/items\/(\d+)\/identify$/, () => ({ items: identified })],
    ...previewRoutes(),
    ['PUT', /^\/items\/(\d+)\/matches\/(\w+)$/, (m, _, b) => takeMatch(m, b)],
    [
      'DELETE',
      /^\/items\/(\d+)\/matches\/(\w+)$/,
      (m) => {
        leaveMatch(m);
        return nothing();
      },
    ],
    ['GET', /^\/kinds\/games\/cores$/, () => ({ items: cores })],
    ['GET', /^\/kinds\/games\/platforms$/, () => ({ items: platforms })],
    [
      'GET',
      /^\/libraries\/(\d+)\/enrich\/status$/,
      () => ({
        ...{ status: 'done', next_at: null, total: 180, seen: 180, matched: 151, notfound: 27, failed: 2 },
        ...{ standing: 0, finished_at: stamp(1), error: null },
        ...(options.enriching ? { status: 'running', seen: 62, matched: 51, notfound: 9, failed: 2 } : {}),
      }),
    ],
    ['GET', /^\/home$/, () => home()],
    ['GET', /^\/search$/, (_, q) => searching.find(q)],
    ['GET', /^\/history$/, (_, q) => paged(q, historyRows())],
    ['GET', /^\/missing$/, () => missing()],
    ['GET', /^\/jobs$/, (_, q) => jobs(q.get('status'))],
    ['POST', /^\/jobs\/(\d+)\/retry$/, (m) => (retried.add(Number(m[1])), { status: 202 })],
    ['GET', /^\/kinds\/audio\/items\/(\d+)\/gains$/, (m) => ({ items: gains(Number(m[1])) })],
    ['GET', /^\/kinds\/video\/files\/(\d+)\/subtitles$/, (m) => ({ items: subtitles(Number(m[1])) })],
    [
      'GET',
      /^\/kinds\/video\/files\/(\d+)\/subtitles\/(\w+)$/,
      (m) => ({ status: 200, type: 'text/vtt', raw: Buffer.from(cues(String(m[2]))) }),
    ],
    [
      'GET',
      /^\/files\/(\d+)\/content$/,
      (m) => {
        if (!options.loggedIn) return refusal(401, 'unauthenticated', 'Log in first.');
        if (options.away && Number(m[1]) >= 19_000) return refusal(503, 'unavailable', 'Not now.');
        return content(Number(m[1]));
      },
    ],
  ];

  function login() {
    if (options.login === 'wrong') return refusal(401, 'unauthenticated', 'Wrong username or password.');
    if (options.login === 'throttled') {
      return { ...refusal(429, 'too_many_requests', 'Too many attempts.'), headers: { 'Retry-After': '48' } };
    }
    options.loggedIn = true;
    return { user: me(), token: 'x', expires_at: stamp(-30) };
  }

  /** @param {URLSearchParams} q */
  function selection(q) {
    const chosen = shownItems().filter(
      (item) =>
        (q.get('kind') === null || item.kind === q.get('kind')) &&
        organised.matches(item, q) &&
        (q.get('library') === null || item.library_id === Number(q.get('library'))) &&
        (q.get('favourite') === null || item.favourite === (q.get('favourite') === 'true')) &&
        (q.get('author') === null ||
          described.isCredited(item, String(authors[Number(q.get('author')) - 1]))) &&
        (q.get('series') === null || seriesOf(item) === seriesNames[Number(q.get('series')) - 1]) &&
        (q.get('state') === null || stateOf(item) === q.get('state')) &&
        (q.get('engines') === null || item.kind !== 'video') &&
        (q.get('missing') === null || item.missing === (q.get('missing') === 'true')),
    );
    return inOrder(chosen, q.get('sort') ?? 'title', q.get('order') ?? 'asc');
  }

  /** Sorts items in place. @param {any[]} chosen @param {string} sort @param {string} order */
  function inOrder(chosen, sort, order) {
    const value = LAST.get(sort);
    if (value) return byValue(chosen, value, order === 'desc');
    chosen.sort((a, b) => {
      if (sort === 'series') return numberOf(a) - numberOf(b);
      if (sort === 'added') return a.added_at < b.added_at ? -1 : 1;
      if (sort === 'year') return (a.year ?? 9999) - (b.year ?? 9999);
      if (sort === 'author') return a.authors.localeCompare(b.authors);
      return sortKey(a.title).localeCompare(sortKey(b.title));
    });
    return order === 'desc' ? chosen.reverse() : chosen;
  }

  /**
   * Items without a value come last; ties are ordered by title.
   * @param {any[]} items @param {(item: any) => any} valueOf @param {boolean} isDescending
   */
  function byValue(items, valueOf, isDescending) {
    return items.sort((a, b) => {
      const [one, other] = [valueOf(a) ?? null, valueOf(b) ?? null];
      if (one !== other && (one === null || other === null)) return one === null ? 1 : -1;
      if (one !== other) return one < other === isDescending ? 1 : -1;
      return sortKey(a.title).localeCompare(sortKey(b.title));
    });
  }

  /** @param {any} item */
  function stateOf(item) {
    if (item.progress === null) return 'unstarted';
    return item.progress.item_finished ? 'finished' : 'started';
  }

  /** @param {URLSearchParams} q */
  function list(q) {
    return paged(q, options.many > 0 ? remembered(q) : selection(q));
  }

  /** Sorts a long list once. @type {Map<string, any[]>} */
  const sorted = new Map();
  /** @param {URLSearchParams} q */
  function remembered(q) {
    const asked = new URLSearchParams(q);
    asked.delete('offset');
    asked.delete('limit');
    const key = asked.toString();
    const known = sorted.get(key) ?? selection(q);
    sorted.set(key, known);
    return known;
  }

  /** @param {URLSearchParams} q */
  function subkindCounts(q) {
    /** @type {Map<string, any>} */
    const counts = new Map();
    for (const { kind, subkind } of selection(new URLSearchParams({ kind: q.get('kind') ?? '' }))) {
      if (subkind === null) continue;
      const entry = counts.get(subkind) ?? { kind, subkind, items: 0 };
      counts.set(subkind, { ...entry, items: entry.items + 1 });
    }
    return { items: [...counts.values()] };
  }

  /** @param {URLSearchParams} q */
  function letters(q) {
    /** @type {{ letter: string, offset: number }[]} */
    const result = [];
    selection(q).forEach((item, offset) => {
      const first = sortKey(item.title).normalize('NFD').charAt(0).toUpperCase();
      const letter = /[A-Z]/.test(first) ? first : '#';
      if (!result.some((entry) => entry.letter === letter)) result.push({ letter, offset });
    });
    return { items: result };
  }

  /** @param {number} id */
  function detail(id) {
    const item = shownItems().find((one) => one.id === id);
    if (!item) return undefined;
    const locked = locks.get(id) ?? [];
    const ofSeries = seriesOf(item);
    return {
      ...judged(item),
      ...organised.fieldsOf(item),
      ...(id === SHOW ? showPictures() : { backdrop: null, logo: null }),
      ...described.fieldsOf(item),
      locked,
      sources: Object.fromEntries(
        ['title', 'year', 'authors', 'description', 'series', 'cover', 'genres', 'language'].map((field) => [
          field,
          locked.includes(field) ? 'person' : field === 'description' ? 'provider' : 'name',
        ]),
      ),
      series_id: ofSeries === null ? null : seriesNames.indexOf(ofSeries) + 1,
      description:
        item.description ??
        (item.kind === 'audio'
          ? 'Ishmael signs on to the whaler Pequod and finds that her captain has only one thing on his mind. A voyage, a natural history, a sermon and a shipwreck, read unabridged.'
          : null),
      people: described.peopleOf(item),
      missing_since: item.missing ? stamp(5) : null,
      work: forms.workOf(id),
      files: filesOf(item).map((file) => {
        const row = rows.get(file.id);
        const mime = forms.isBook(file.id) ? 'application/epub+zip' : file.mime;
        return { ...file, mime, progress: row ?? null };
      }),
      facts:
        item.kind === 'books'
          ? {
              publisher: 'Harper & Brothers',
              language: 'en',
              isbn: '9780142437247',
              ...(ofSeries === null ? {} : { series: ofSeries, series_index: numberOf(item) }),
            }
          : item.kind === 'audio'
            ? {
                form: item.subkind,
                bitrate: 64000,
                sample_rate: 44100,
                channels: 1,
                ...(item.id === SECOND_ALBUM ? { album_gain: -6, album_peak: 0.98 } : {}),
              }
            : {},
    };
  }

  /** @param {number} id */
  function userDetail(id) {
    const one = users.find((entry) => entry.id === id);
    return one && { ...one, libraries: id === 1 ? [1, 2] : [1] };
  }

  function missing() {
    const gone = shownItems().filter((item) => item.missing);
    const rows = gone.slice(0, 60).map((item) => ({
      item_id: item.id,
      title: item.title,
      kind: item.kind,
      library: { id: 1, name: 'Shared house' },
      path: `${item.kind}/${item.title}`,
      missing_since: stamp(5),
    }));
    return { items: rows, total: gone.length, offset: 0, limit: 60 };
  }

  /** Scan events by library. @type {Map<number, Record<string, unknown>>} */
  const told = new Map();

  /** @param {number} id */
  function scanStatus(id) {
    const base = {
      status: 'done',
      job_id: 4,
      scanned: 1924,
      total: 1924,
      added: 12,
      updated: 3,
      moved: 1,
      missing: 0,
      restored: 0,
      errors: /** @type {string[]} */ ([]),
      errors_overflow: 0,
      started_at: stamp(0.1),
      finished_at: stamp(0.09),
      error: /** @type {string | null} */ (null),
    };
    const said = told.get(id);
    if (said) return said;
    if (id !== 1) return base;
    switch (options.scan) {
      case 'running':
        return { ...base, status: 'running', scanned: 713, finished_at: null };
      case 'never':
        return {
          ...base,
          status: 'never',
          scanned: 0,
          total: null,
          added: 0,
          updated: 0,
          moved: 0,
          finished_at: null,
        };
      case 'failed':
        return {
          ...base,
          status: 'failed',
          added: 0,
          updated: 0,
          moved: 0,
          error:
            '1,870 of 1,924 files have vanished: is the disk mounted? Scan with accept_missing if they are really gone.',
        };
      case 'errors':
        return {
          ...base,
          errors: Array.from(
            { length: 100 },
            (_, i) => `books/broken ${i + 1}.epub: the archive ends too early`,
          ),
          errors_overflow: 31,
        };
      default:
        return base;
    }
  }

  /** @param {string | null} status */
  function jobs(status) {
    const all = [
      ...board.started,
      job(9, 'scan', 'running', null),
      job(8, 'probe', 'queued', null),
      job(7, 'enrich', 'failed', 'openlibrary: no answer within 30 s'),
      job(6, 'scan', 'done', null),
      job(5, 'scan', 'done', null),
    ]
      .map((one) => (retried.has(one.id) ? job(one.id, one.kind, 'queued', null) : one))
      .filter((one) => !status || one.status === status);
    return { items: all, total: all.length, offset: 0, limit: 60 };
  }

  return {
    options,
    written,
    told,
    playlists: listed,
    collections: gathered,
    shows: shown,
    metadata: described,
    statistics: stats,
    dashboard: board,
    apps: connected,
    providerSettings: provided,
    imports: importing,
    get views() {
      return views;
    },
    /**
     * @param {string} method @param {string} path @param {URLSearchParams} query @param {unknown} body
     * @param {string | null} [expected] the expected version
     * @returns {Promise<{ status: number, body?: unknown, raw?: Buffer, type?: string, headers?: Record<string, string> }>}
     */
    async answer(method, path, query, body, expected = null) {
      const listing =
        method === 'GET' &&
        /^\/(items|home|search|history|libraries$|users|jobs|missing|playlists|collections|stats|activity|status|app-)/.test(
          path,
        );
      if (listing && options.slow) return new Promise(() => {});
      if (
        listing &&
        options.failing &&
        /^\/(items|home|search|history|playlists|collections|stats|activity|app-)/.test(path)
      )
        return refusal(500, 'internal', 'Something went wrong on the server.');
      if (!options.loggedIn && !/^\/auth\//.test(path))
        return refusal(401, 'unauthenticated', 'Log in first.');
      for (const [verb, pattern, handle] of table) {
        const m = verb === method ? path.match(pattern) : null;
        if (!m) continue;
        const result = await handle(m, query, body, expected);
        return result && 'status' in result && typeof result.status === 'number'
          ? result
          : { status: 200, body: result };
      }
      return method === 'GET' ? refusal(404, 'not_found', 'No such thing.') : nothing();
    },
  };
}

const archives = [/^\/items\/\d+\/archive$/, /^\/playlists\/\d+\/archive$/];

/** An archive without files: its end record. */
function archive() {
  const raw = Buffer.concat([Buffer.from('PK\x05\x06'), Buffer.alloc(18)]);
  const headers = { 'Content-Disposition': 'attachment; filename="archive.zip"' };
  return { status: 200, raw, type: 'application/zip', headers };
}

/** Earlier saves of one game, newest first, by slot. @returns {Map<string, any[]>} */
function savesOf() {
  const lines = (/** @type {string[]} */ texts, days = 1) =>
    texts.map((text, at) => save(Buffer.from(text), texts.length - at, days + at));
  const shot = save(picture, 1, 2);
  return new Map([
    ['1', lines(['third', 'second', 'first'])],
    ['1-png', [save(picture, 2, 1), shot]],
    ['sram', lines(['new memory', 'old memory'])],
    ['laptop', lines(['only one'])],
  ]);
}

/** @param {Buffer} bytes @param {number} n @param {number} days */
function save(bytes, n, days) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { n, size: bytes.length, sha256, core: 'mgba', saved_at: stamp(days), bytes };
}

function makeItems() {
  /** @type {any[]} */
  const items = [];
  for (const [kindId, list] of Object.entries(works)) {
    const rounds = kindId === 'books' ? 6 : 1;
    for (let round = 0; round < rounds; round += 1) {
      for (const [title, authors, year] of list) {
        const id = items.length + 1;
        items.push({
          id,
          library_id: kindId === 'audio' && id % 2 === 0 ? 2 : 1,
          kind: kindId,
          subkind: kindId === 'audio' ? ([ALBUM, SECOND_ALBUM].includes(id) ? 'album' : 'audiobook') : null,
          title: round === 0 ? title : `${title}, volume ${round + 1}`,
          year,
          authors: authors ?? '',
          cover: null,
          missing: false,
          added_at: stamp((id * 37) % 60),
          duration: kindId === 'audio' || kindId === 'video' ? 60 * (30 + ((id * 37) % 200)) : null,
          pages: kindId === 'books' && id % 3 > 0 ? 40 + ((id * 53) % 600) : null,
          size: 1000 * (1 + ((id * 7919) % 9973)),
          released: year ? String(year) : null,
          favourite: false,
          rating: null,
          progress: null,
        });
      }
    }
  }
  return items;
}

/** A shelf of one kind of any length. @param {number} count */
function makeMany(count) {
  const pattern = makeItems()[0];
  return Array.from({ length: count }, (_, at) => ({
    ...pattern,
    id: at + 1,
    title: `Volume ${String(at + 1).padStart(6, '0')}`,
    authors: `Author ${at % 997}`,
  }));
}

/** @param {any} item @returns {string | null} */
function seriesOf(item) {
  const name = item.title.replace(/, volume \d+$/, '');
  return item.kind === 'books' && seriesNames.includes(name) ? name : null;
}

/** @param {any} item */
function numberOf(item) {
  const volume = Number(/, volume (\d+)$/.exec(item.title)?.[1] ?? 1);
  // The library lacks two volumes of one series.
  return item.title.startsWith('Dracula') ? ([0, 1, 2, 4, 5, 7, 8][volume] ?? volume) : volume;
}

/** @param {any} item */
function usualFilesOf(item) {
  const plays = item.id === FILM || item.id === SERIAL;
  const parts =
    item.id === SERIAL
      ? ['The Engine', 'The Bridge', 'The River']
      : item.kind === 'audio'
        ? ['Loomings', 'The Carpet-Bag', 'The Spouter-Inn', 'The Counterpane', 'Breakfast', 'The Street']
        : [item.title];
  const extension = { books: 'epub', audio: 'wav', video: 'mp4', games: 'gbc', herbarium: 'plant' }[
    /** @type {'books'} */ (item.kind)
  ];
  const viewer = { books: 'epub', audio: 'audio', video: 'video', games: 'game', herbarium: 'press' }[
    /** @type {'books'} */ (item.kind)
  ];
  return parts.map((title, index) => ({
    id: item.id * 100 + index,
    name: `${title}.${extension}`,
    path: `${item.kind}/${title}.${extension}`,
    size: 1_204_000 + index * 90_500,
    mtime: stamp(60),
    mime: item.kind === 'audio' ? 'audio/wav' : 'application/octet-stream',
    viewer,
    missing: item.missing,
    missing_since: item.missing ? stamp(5) : null,
    container: plays ? 'webm' : item.kind === 'video' ? 'mp4' : item.kind === 'audio' ? 'wav' : null,
    vcodec: plays ? 'vp9' : item.kind === 'video' ? 'mpeg4' : null,
    acodec: plays ? 'opus' : item.kind === 'video' ? 'aac' : null,
    width: null,
    height: null,
    duration: item.kind === 'audio' ? 60 : plays ? FILM_SECONDS : null,
    part: item.kind === 'audio' ? index + 1 : null,
    season: item.id === SERIAL ? 1 : null,
    episode: item.id === SERIAL ? index + 1 : null,
    last_episode: null,
    title: item.kind === 'audio' || item.id === SERIAL ? title : null,
    unit: { books: 'section', herbarium: 'none' }[/** @type {'books'} */ (item.kind)] ?? 'second',
    extent: plays
      ? FILM_SECONDS
      : ({ books: 40, audio: 60, video: 5400 }[/** @type {'books'} */ (item.kind)] ?? null),
    chapters: [],
    streams: [],
    progress: null,
    favourite: false,
    rating: null,
    plays: 0,
    played_at: null,
    content_url: `/api/v1/files/${item.id * 100 + index}/content`,
  }));
}

const providers = [
  { id: 'openlibrary', label: 'Open Library', kinds: ['books', 'audio'] },
  { id: 'local_files', label: 'Local files', kinds: ['books', 'audio'] },
];
const candidates = [
  ...[1851, 1998].map((year) => ({
    ...{ provider_id: `OL${year}W`, title: 'Moby-Dick', subtitle: 'or, The Whale', year },
    ...{ authors: 'Herman Melville', score: year === 1851 ? 0.98 : null, has_picture: false },
  })),
];
/** Answers of two providers about any item. */
const identified = [
  { provider: 'openlibrary', label: 'Open Library', error: null, candidates },
  { provider: 'googlebooks', label: 'Google Books', error: 'the request timed out', candidates: [] },
];
/** @returns {any[]} What providers answered about any thing, the newest first. */
const attempts = () => [
  {
    ...{
      provider: 'openlibrary',
      outcome: 'ok',
      query: 'Moby-Dick',
      provider_id: 'OL1851W',
      title: 'Moby-Dick',
    },
    ...{ year: 1851, authors: 'Herman Melville', score: 0.98, fetched_at: stamp(2), error: null },
    ...{ is_current: true, is_chosen: false },
  },
  {
    ...{
      provider: 'local_files',
      outcome: 'notfound',
      query: 'Moby-Dick',
      provider_id: null,
      title: null,
      year: null,
    },
    ...{ authors: null, score: null, fetched_at: stamp(2), error: null, is_current: false, is_chosen: false },
  },
];

const platforms = [
  { id: 'gb', name: 'Game Boy', extensions: ['gb', 'gbc'], core: 'mgba' },
  { id: 'fds', name: 'Famicom Disk System', extensions: ['fds'], core: 'fceumm' },
  { id: 'snes', name: 'Super Nintendo', extensions: ['sfc'], core: 'snes9x' },
];
/** @param {string} id @param {string} platform @param {'embedded' | 'added' | 'missing'} state @param {any} more */
const core = (id, platform, state, more) => ({
  ...{
    id,
    platforms: [platform],
    state,
    script_url: null,
    wasm_url: null,
    wasm_size: null,
    bios: [],
    files: [],
  },
  ...{ licence: 'GPL-2.0-or-later', licence_url: null, source_url: 'https://example.org/source', free: true },
  ...more,
});
const disk = {
  ...{ name: 'disksys.rom', md5: 'ca30b50f880eb660a320674ed365ef7a', state: 'missing', url: null },
  ...{ matches: null, platforms: ['fds'], required: true },
};
const cores = [
  core('mgba', 'gb', 'embedded', { licence: 'MPL-2.0' }),
  core('fceumm', 'fds', 'added', {
    bios: [disk],
    files: [
      { name: 'fceumm.js', size: 214_000 },
      { name: 'fceumm.wasm', size: 4_566_000 },
    ],
  }),
  core('snes9x', 'snes', 'missing', { licence: 'Non-commercial', free: false }),
];

/** Gains of the tracks of the second album, whose first file has no number of its own. @param {number} item */
function gains(item) {
  if (item !== SECOND_ALBUM) return [];
  return [0, 1, 2].map((track) => ({
    ...{ file_id: item * 100 + track, track_gain: -12, track_peak: 0.5 },
    ...{ album_gain: -6, album_peak: 0.98 },
  }));
}

/** @param {number} id */
function subtitles(id) {
  const item = Math.floor(id / 100);
  if (item !== FILM && item !== SERIAL) return [];
  return [
    ['en', 'English'],
    ['de', 'Deutsch'],
  ].map(([language, label]) => ({
    id: language,
    label,
    language,
    format: 'srt',
    formats: ['vtt'],
    forced: false,
    default: false,
    hearing_impaired: false,
    embedded: false,
    url: `/api/v1/kinds/video/files/${id}/subtitles/${language}`,
  }));
}

/** @param {string} language */
function cues(language) {
  const words = language === 'de' ? 'Der Mond ist aufgegangen.' : 'The moon has risen.';
  return `WEBVTT\n\n00:00.000 --> 00:12.000\n${words}\n`;
}

/** A minute of a quiet tone for audio; unplayable bytes for the rest. @param {number} id */
function content(id) {
  const item = Math.floor(id / 100);
  if (item === FILM || item === SERIAL || item === DAILY)
    return { status: 200, raw: film, type: 'video/webm' };
  if (item < (works.books ?? []).length * 6)
    return { status: 200, raw: Buffer.from('not a film'), type: 'application/octet-stream' };
  const seconds = 60;
  const rate = 8000;
  const data = Buffer.alloc(44 + seconds * rate, 128);
  data.write('RIFF', 0);
  data.writeUInt32LE(36 + seconds * rate, 4);
  data.write('WAVEfmt ', 8);
  data.writeUInt32LE(16, 16);
  data.writeUInt16LE(1, 20);
  data.writeUInt16LE(1, 22);
  data.writeUInt32LE(rate, 24);
  data.writeUInt32LE(rate, 28);
  data.writeUInt16LE(1, 32);
  data.writeUInt16LE(8, 34);
  data.write('data', 36);
  data.writeUInt32LE(seconds * rate, 40);
  return { status: 200, raw: data, type: 'audio/wav' };
}

/** @param {string} path */
function directories(path) {
  const names = ['Audiobooks', 'books', 'films', 'lost+found', 'records'];
  const parent = path === '/' ? null : path.replace(/\/[^/]*$/, '') || '/';
  return {
    path,
    parent,
    items: names.map((name) => ({
      name,
      path: `${path === '/' ? '' : path}/${name}`,
      readable: name !== 'lost+found',
    })),
  };
}

/** @param {number} id @param {string} username @param {string} role @param {boolean} disabled */
function user(id, username, role, disabled) {
  return {
    id,
    username,
    role,
    disabled,
    created_at: stamp(200),
    last_seen_at: disabled ? null : stamp(id * 0.4),
  };
}

/** @param {number} id @param {string} kindId @param {string} status @param {string | null} error */
function job(id, kindId, status, error) {
  return {
    id,
    kind: kindId,
    ref_id: 1,
    status,
    attempts: error ? 5 : 1,
    result: null,
    error,
    run_at: stamp(0.1),
    created_at: stamp(0.1),
    started_at: stamp(0.1),
    finished_at: status === 'done' ? stamp(0.09) : null,
  };
}

/** @param {Record<string, any>} row @param {string[]} names @returns {any} */
function without(row, ...names) {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** @param {number} days */
function stamp(days) {
  return new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z');
}

/** @param {number} status @param {string} code @param {string} message @param {string} [field] */
function refusal(status, code, message, field) {
  return { status, body: { error: { code, message, ...(field ? { field } : {}) } } };
}

function nothing() {
  return { status: 204 };
}

/** @param {any} thing */
function found(thing) {
  return thing ? { status: 200, body: thing } : refusal(404, 'not_found', 'No such thing.');
}
