/** Previews of the changes of a refresh and of a chosen match. */

/** @param {string} field @param {string[]} before @param {string[]} after */
const change = (field, before, after) => ({ field, before, after });

/** Entry of a provider with the fields that it changes. @param {string} provider_id */
const entry = (provider_id) => ({
  ...{ provider: 'openlibrary', label: 'Open Library', provider_id, score: null },
  ...{
    title: 'Moby-Dick; or, The Whale',
    subtitle: null,
    year: 1851,
    authors: 'Herman Melville',
    platforms: [],
  },
  changes: [
    change('title', ['Moby-Dick'], ['Moby-Dick; or, The Whale']),
    change('description', [], ['A captain hunts a whale.']),
    change('genres', ['Novel', 'Sea'], ['Novel', 'Adventure']),
    change('details.studios', [], ['Harper & Brothers']),
  ],
  pictures: ['cover'],
});

const answered = { provider: 'openlibrary', label: 'Open Library', error: null };
const silent = { provider: 'googlebooks', label: 'Google Books', error: 'the request timed out' };

/** Routes of previews. They change nothing. @returns {[string, RegExp, (m: RegExpMatchArray, q: unknown, body: any) => unknown][]} */
export const previewRoutes = () => [
  [
    'POST',
    /^\/items\/(\d+)\/enrich\/preview$/,
    (m) =>
      Number(m[1]) % 2 === 0
        ? { entry: entry('OL1851W'), asked: [answered] }
        : { entry: null, asked: [answered, silent] },
  ],
  ['POST', /^\/items\/(\d+)\/matches\/(\w+)\/preview$/, (_, __, body) => entry(body.provider_id)],
  ['GET', /^\/libraries\/(\d+)\/enrich\/preview$/, () => ({ item_ids: [2, 3] })],
];
