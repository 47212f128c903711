/** Genres, languages, tags, ratings and facets of the stand-in server. */

/** @type {Record<string, string[]>} */
const genresByKind = {
  books: [
    'Adventure',
    'Gothic fiction',
    'Satire',
    'Sea stories',
    'Romance',
    'Essays',
    'Travel',
    'Philosophy',
  ],
  audio: ['Chamber music', 'Folk', 'Sea stories'],
  video: ['Animation', 'Comedy', 'Science fiction', 'Silent film'],
  games: ['Platform', 'Puzzle'],
};
const allGenres = [...new Set(Object.values(genresByKind).flat())];
/** Number of items from which a list is long. */
const LONG = 1000;
const languages = ['en', 'en', 'en', 'fr', 'de', 'es'];
/** Filters that a facet ignores. @type {Record<string, string[]>} */
const own = { state: ['state'], rating: ['rating_min'] };

/** @param {string} name */
const key = (name) => name.trim().toLocaleLowerCase();
const refused = (
  /** @type {number} */ status,
  /** @type {string} */ code,
  /** @type {string} */ message,
) => ({
  status,
  body: { error: { code, message, field: null } },
});

/**
 * @param {any[]} items
 * @param {{ isAdmin: () => boolean, select: (q: URLSearchParams) => any[], stateOf: (item: any) => string, kinds: any[], libraries: () => any[] }} around
 */
export function organise(items, around) {
  /** @type {{ id: number, name: string, shared: boolean, items: Set<number> }[]} */
  const tags = [];
  /** @type {Map<number, number>} */
  const ratings = new Map();
  const edited = new Map();
  let lastTag = 0;
  if (items.length < LONG) {
    tag('Winter evenings', false, [1, 6, 182, 190]);
    tag('For the children', true, [2, 6, 191, 192]);
    [1, 2, 3, 6, 182, 190, 191, 192].forEach((id, at) => ratings.set(id, 4 + (at % 6)));
  }

  /** @param {string} name @param {boolean} shared @param {number[]} ids */
  function tag(name, shared, ids) {
    const known = tags.find((one) => one.shared === shared && key(one.name) === key(name));
    const one = known ?? { id: ++lastTag, name: name.trim(), shared, items: new Set() };
    if (!known) tags.push(one);
    for (const id of ids) one.items.add(id);
  }

  /** @param {any} item @returns {string[]} */
  function genresOf(item) {
    const list = genresByKind[item.kind];
    if (!list) return [];
    if (edited.get(item.id)?.genres) return edited.get(item.id).genres;
    return [...new Set([list[item.id % list.length], list[(item.id * 3) % list.length]])].map(String);
  }

  /** @param {any} item @returns {string | null} */
  function languageOf(item) {
    if (edited.get(item.id)?.language !== undefined) return edited.get(item.id).language;
    return ['books', 'audio'].includes(item.kind) ? String(languages[item.id % languages.length]) : null;
  }

  /** @param {any} item */
  const tagsOf = (item) =>
    tags
      .filter((one) => one.items.has(item.id))
      .map(({ id, name, shared }) => ({ id, name, shared }))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  /** @param {any} item */
  const ratingOf = (item) => ratings.get(item.id) ?? null;
  /** @param {any} item */
  const decadeOf = (item) => (item.year === null ? null : Math.floor(item.year / 10) * 10);
  /** @param {string} name */
  function genreId(name) {
    if (!allGenres.includes(name)) allGenres.push(name);
    return allGenres.indexOf(name) + 1;
  }

  /** Returns true if an item meets the filters of this file. @param {any} item @param {URLSearchParams} q */
  function matches(item, q) {
    /** @param {string} name @param {(string | number | null)[]} values */
    const any = (name, values) =>
      q.get(name) === null || (q.get(name) ?? '').split(',').some((one) => values.map(String).includes(one));
    const within = (/** @type {string} */ name, /** @type {(bound: number) => boolean} */ fits) =>
      q.get(name) === null || fits(Number(q.get(name)));
    return (
      any('subkind', [item.subkind]) &&
      any('genre', genresOf(item).map(genreId)) &&
      any(
        'tag',
        tagsOf(item).map(({ id }) => id),
      ) &&
      any('language', [languageOf(item)]) &&
      within('decade', (first) => decadeOf(item) === first) &&
      within('year_from', (year) => item.year !== null && item.year >= year) &&
      within('year_to', (year) => item.year !== null && item.year <= year) &&
      within('rating_min', (rating) => (ratingOf(item) ?? 0) >= rating)
    );
  }

  /** @param {URLSearchParams} q */
  function facets(q) {
    const asked = new URLSearchParams(q);
    if (!asked.has('missing')) asked.set('missing', 'false');
    /** @param {string} name @param {(item: any) => any[]} valuesOf @param {(value: any) => string} nameOf */
    const facet = (name, valuesOf, nameOf) => {
      const others = new URLSearchParams(asked);
      for (const filter of own[name] ?? [name]) others.delete(filter);
      const counts = new Map();
      for (const item of around.select(others))
        for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1);
      counts.delete(null);
      return [...counts]
        .map(([value, count]) => ({ value, name: nameOf(value), items: count }))
        .toSorted((a, b) => b.items - a.items || a.name.localeCompare(b.name))
        .filter(({ value }, index) => index < 50 || (q.get(name) ?? '').split(',').includes(String(value)));
    };
    const labels = around.kinds.flatMap((kind) => kind.subkinds);
    return {
      total: around.select(asked).length,
      // As the real server, for a long list.
      approximate: items.length >= LONG,
      facets: {
        kind: facet('kind', (item) => [item.kind], String),
        subkind: facet(
          'subkind',
          (item) => [item.subkind],
          (id) => labels.find((one) => one.id === id)?.label_plural ?? id,
        ),
        library: facet(
          'library',
          (item) => [item.library_id],
          (id) => around.libraries().find((one) => one.id === id)?.name ?? '',
        ),
        genre: facet(
          'genre',
          (item) => genresOf(item).map(genreId),
          (id) => String(allGenres[id - 1]),
        ),
        tag: facet(
          'tag',
          (item) => tagsOf(item).map(({ id }) => id),
          (id) => tags.find((one) => one.id === id)?.name ?? '',
        ),
        language: facet('language', (item) => [languageOf(item)], String),
        decade: facet(
          'decade',
          (item) => [decadeOf(item)],
          (first) => `${first}s`,
        ),
        state: facet('state', (item) => [around.stateOf(item)], String),
        rating: facet('rating', (item) => [ratingOf(item)], String),
      },
    };
  }

  /** @param {URLSearchParams} q */
  function genres(q) {
    const counts = new Map();
    for (const item of around.select(new URLSearchParams(q.has('kind') ? { kind: q.get('kind') ?? '' } : {})))
      for (const name of genresOf(item)) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].map(([name, count]) => ({ id: genreId(name), name, items: count }));
  }

  const countedTags = () =>
    tags
      .filter((one) => one.items.size > 0)
      .map(({ id, name, shared, items: tagged }) => ({ id, name, shared, items: tagged.size }));

  /** @param {any} item @param {{ tags: string[], shared?: boolean }} body */
  function setTags(item, { tags: names, shared = false }) {
    if (shared && !around.isAdmin()) return refused(403, 'forbidden', 'Shared tags are for administrators.');
    for (const one of tags) if (one.shared === shared) one.items.delete(item.id);
    for (const name of names) tag(name, shared, [item.id]);
    return { tags: tagsOf(item) };
  }

  /** @param {any} item @param {number | null} rating */
  function rate(item, rating) {
    if (rating === null) ratings.delete(item.id);
    else ratings.set(item.id, rating);
    return { status: 204 };
  }

  /** Stores the genres and the language of an edit. @param {any} item @param {any} body */
  function edit(item, body) {
    const { genres: list, language } = body;
    const before = edited.get(item.id) ?? {};
    edited.set(item.id, {
      ...before,
      ...(list === undefined ? {} : { genres: list }),
      ...(language === undefined ? {} : { language }),
    });
  }

  return {
    ...{ matches, facets, genres, countedTags, setTags, rate, edit, ratingOf },
    /** The fields of an item's page. @param {any} item */
    fieldsOf: (item) => ({
      genres: genresOf(item),
      genre_ids: genresOf(item).map(genreId),
      language: languageOf(item),
      tags: tagsOf(item),
    }),
  };
}
