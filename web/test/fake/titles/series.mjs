/** Series of the stand-in server: their items by number, their gaps, and the item to continue with. */

/**
 * @param {object} world
 * @param {() => any[]} world.items
 * @param {string[]} world.names
 * @param {(item: any) => string | null} world.seriesOf
 * @param {(item: any) => number} world.numberOf
 * @param {(item: any) => any} world.cardOf
 */
export function series({ items, names, seriesOf, numberOf, cardOf }) {
  /** @param {string} name */
  const membersOf = (name) =>
    items()
      .filter((item) => seriesOf(item) === name)
      .sort((a, b) => numberOf(a) - numberOf(b));
  const isStarted = (/** @type {any} */ item) => item.progress !== null && !item.progress.item_finished;
  const isFinished = (/** @type {any} */ item) => item.progress?.item_finished === true;

  /** @param {any[]} members */
  function nextOf(members) {
    const started = members.filter(isStarted).sort((a, b) => compare(b, a))[0];
    if (started) return started;
    const last = members.findLastIndex(isFinished);
    const isOpen = (/** @type {any} */ item) => !item.missing && !isFinished(item);
    return members.slice(last + 1).find(isOpen) ?? members.find(isOpen) ?? null;
  }

  /** @param {any[]} members */
  function gapsOf(members) {
    const numbers = new Set(members.map(numberOf));
    const gaps = [];
    for (let n = Math.min(...numbers); n < Math.max(...numbers); n += 1) if (!numbers.has(n)) gaps.push(n);
    return gaps;
  }

  /** @param {number} id */
  function detail(id) {
    const name = names[id - 1];
    const members = name === undefined ? [] : membersOf(name);
    if (members.length === 0) return refusal();
    const next = nextOf(members);
    return {
      ...{ id, name, kind: members[0].kind, items: members.length, gaps: gapsOf(members) },
      next: next && cardOf(next),
    };
  }

  /** @param {number} id @param {URLSearchParams} q */
  function list(id, q) {
    const name = names[id - 1];
    const members = name === undefined ? [] : membersOf(name);
    if (members.length === 0) return refusal();
    const offset = Number(q.get('offset') ?? 0);
    const limit = Number(q.get('limit') ?? 60);
    const shown = members.slice(offset, offset + limit);
    const cards = shown.map((item) => ({ ...cardOf(item), series_index: numberOf(item) }));
    return { items: cards, total: members.length, offset, limit };
  }

  /** The next items of series with a finished and without a started item. */
  function upNext() {
    return names.flatMap((name, at) => {
      const members = membersOf(name);
      if (!members.some(isFinished) || members.some(isStarted)) return [];
      const next = nextOf(members);
      return next ? [{ item: cardOf(next), series: { id: at + 1, name } }] : [];
    });
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams) => any][]} */
  const table = [
    ['GET', /^\/series\/(\d+)$/, (m) => detail(Number(m[1]))],
    ['GET', /^\/series\/(\d+)\/items$/, (m, q) => list(Number(m[1]), q)],
  ];
  return { table, upNext };
}

/** @param {any} one @param {any} other */
function compare(one, other) {
  return one.progress.updated_at < other.progress.updated_at ? -1 : 1;
}

function refusal() {
  return { status: 404, body: { error: { code: 'not_found', message: 'No such series.' } } };
}
