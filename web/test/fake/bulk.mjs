/** Edits of many items of the stand-in server, and their undo. */

/** Fields for administrators. */
const SHARED = ['authors', 'series', 'genres', 'genres_add', 'genres_remove', 'language', 'year'];
const OWN = ['favourite', 'finished', 'rating', 'tags_add', 'tags_remove'];

/** @param {number} status @param {string} code @param {string} message @param {string | null} field */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, ...(field === null ? {} : { field }) } },
});

/**
 * @param {{
 *   isAdmin: () => boolean,
 *   itemOf: (id: number) => any,
 *   select: (q: URLSearchParams) => any[],
 *   organised: any,
 *   finish: (item: any, finished: boolean) => void,
 *   progressOf: (item: any) => any,
 *   restoreProgress: (places: any) => void,
 * }} around
 */
export function bulk(around) {
  const { organised } = around;
  /** @type {{ id: number, fields: string[], changed: number, undone: boolean, undo: (() => void)[] }[]} */
  const batches = [];

  /** @param {any} body @returns {any[]} */
  function selected(body) {
    if (body.ids) return body.ids.map(around.itemOf);
    const entries = Object.entries(body.filter).map(([name, value]) => [name, String(value)]);
    return around.select(new URLSearchParams(entries));
  }

  /** @param {any} body */
  function edit(body) {
    const names = Object.keys(body.set);
    const unknown = names.find((name) => ![...OWN, ...SHARED].includes(name.replace('shared_', '')));
    if (unknown) return refused(422, 'invalid', `There is no ${unknown}.`, `set.${unknown}`);
    if (names.some((name) => !OWN.includes(name)) && !around.isAdmin())
      return refused(403, 'forbidden', 'Only an administrator can do this.');
    const items = selected(body);
    if (items.some((item) => item === undefined))
      return refused(422, 'invalid', 'There is no such item.', 'ids');
    if (body.preview) return { count: items.length, sample: items.slice(0, 5) };
    if (body.filter && body.expected !== items.length)
      return refused(412, 'precondition_failed', 'It has changed in the meantime.');
    const undo = items.flatMap((item) => change(item, body.set) ?? []);
    if (undo.length === 0) return { batch: null, changed: 0 };
    const batch = { id: batches.length + 1, fields: names, changed: undo.length, undone: false, undo };
    batches.push(batch);
    return { batch: batch.id, changed: batch.changed };
  }

  /** Changes an item, and returns the way back, or null if nothing changed. @param {any} item @param {any} set */
  function change(item, set) {
    const before = stateOf(item);
    if (set.favourite !== undefined) item.favourite = set.favourite;
    if (set.rating !== undefined) organised.rate(item, set.rating);
    if (set.finished !== undefined) around.finish(item, set.finished);
    if (set.authors) item.authors = set.authors.join(', ');
    if (set.year !== undefined) item.year = set.year;
    const { genres } = organised.fieldsOf(item);
    const kept = (set.genres ?? genres).filter(
      (/** @type {string} */ name) => !set.genres_remove?.includes(name),
    );
    const added = [...new Set([...kept, ...(set.genres_add ?? [])])];
    organised.edit(item, {
      genres: added,
      ...(set.language === undefined ? {} : { language: set.language }),
    });
    for (const [shared, prefix] of [
      [false, ''],
      [true, 'shared_'],
    ]) {
      const removed = set[`${prefix}tags_remove`] ?? [];
      const tags = namesOf(item, Boolean(shared)).filter((name) => !removed.includes(name));
      organised.setTags(item, { tags: [...tags, ...(set[`${prefix}tags_add`] ?? [])], shared });
    }
    if (JSON.stringify(stateOf(item)) === JSON.stringify(before)) return null;
    return () => restore(item, before);
  }

  /** @param {any} item @param {boolean} shared @returns {string[]} */
  const namesOf = (item, shared) =>
    organised
      .fieldsOf(item)
      .tags.filter((/** @type {any} */ tag) => tag.shared === shared)
      .map((/** @type {any} */ tag) => tag.name);

  /** @param {any} item */
  const stateOf = (item) => ({
    favourite: item.favourite,
    rating: organised.ratingOf(item),
    progress: structuredClone(around.progressOf(item)),
    authors: item.authors,
    year: item.year,
    genres: organised.fieldsOf(item).genres,
    language: organised.fieldsOf(item).language,
    own: namesOf(item, false),
    shared: namesOf(item, true),
  });

  /** @param {any} item @param {ReturnType<typeof stateOf>} state */
  function restore(item, state) {
    item.favourite = state.favourite;
    item.authors = state.authors;
    item.year = state.year;
    organised.rate(item, state.rating);
    around.restoreProgress(state.progress);
    organised.edit(item, { genres: state.genres, language: state.language });
    organised.setTags(item, { tags: state.own, shared: false });
    if (around.isAdmin()) organised.setTags(item, { tags: state.shared, shared: true });
  }

  /** @param {number} id */
  function undo(id) {
    const batch = batches.find((one) => one.id === id);
    if (!batch) return refused(404, 'not_found', 'No such edit.');
    const restored = batch.undone ? 0 : batch.undo.length;
    if (!batch.undone) for (const back of batch.undo) back();
    batch.undone = true;
    return { restored, skipped: 0 };
  }

  return { edit, undo };
}
