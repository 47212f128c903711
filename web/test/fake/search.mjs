/** The search of the stand-in server. If no item has the words, words with up to two other letters match. */

/**
 * @param {{ items: () => any[], kinds: string[], cardOf: (item: any) => any }} around
 */
export function search({ items, kinds, cardOf }) {
  /** @param {any} item */
  const textOf = (item) => `${item.title} ${item.authors}`.toLocaleLowerCase();

  /** @param {string[]} terms */
  const hitsOf = (terms) =>
    terms.length === 0 ? [] : items().filter((item) => terms.every((term) => textOf(item).includes(term)));

  /** Known words by their distance to a term, nearest first. @param {string} term @returns {string[]} */
  function similar(term) {
    if (term.length < 4) return [term];
    const known = new Set(items().flatMap((item) => textOf(item).match(/\p{L}{4,}/gu) ?? []));
    return [...known]
      .map((word) => ({ word, distance: distance(term, word) }))
      .filter((one) => one.distance <= (term.length < 8 ? 1 : 2))
      .sort((a, b) => a.distance - b.distance || a.word.localeCompare(b.word))
      .map(({ word }) => word);
  }

  /** @param {URLSearchParams} q */
  function find(q) {
    const query = (q.get('q') ?? '').trim();
    if (query === 'break')
      return {
        status: 500,
        body: { error: { code: 'internal', message: 'Something went wrong on the server.' } },
      };
    const terms = query.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    let hits = hitsOf(terms);
    let corrected = null;
    /** @type {string[]} */
    let suggestions = [];
    if (hits.length === 0 && q.get('fuzzy') !== 'false') {
      const words = terms.map((term) => similar(term));
      if (words.every((all) => all.length > 0)) {
        const nearest = words.map(([word]) => String(word));
        hits = hitsOf(nearest);
        corrected = hits.length > 0 ? nearest.join(' ') : null;
        suggestions = (words[0] ?? []).slice(1, 4);
      } else suggestions = words.flat().slice(0, 3);
    }
    return { query, ...grouped(hits, q), corrected, suggestions };
  }

  /** @param {any[]} hits @param {URLSearchParams} q */
  function grouped(hits, q) {
    const limit = Number(q.get('limit') ?? 20);
    const groups = kinds
      .filter((kind) => q.get('kind') === null || q.get('kind') === kind)
      .map((kind) => hits.filter((item) => item.kind === kind))
      .filter((group) => group.length > 0)
      .map((group) => ({
        kind: group[0].kind,
        total: group.length,
        items: group.slice(0, limit).map(cardOf),
      }));
    return { total: groups.reduce((sum, group) => sum + group.total, 0), groups };
  }

  return { find };
}

/** The number of inserted, deleted and replaced letters between two words. @param {string} one @param {string} other */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1)
      next.push(
        Math.min(
          Number(row[j]) + 1,
          Number(next[j - 1]) + 1,
          Number(row[j - 1]) + (one[i - 1] === other[j - 1] ? 0 : 1),
        ),
      );
    row = next;
  }
  return Number(row.at(-1));
}
