/** Collections of the stand-in server. The user is number 1; another user owns two public ones. */
import { errorIn, select } from './rules.mjs';

/** @typedef {{ status: number, body?: any, raw?: Buffer, type?: string }} Answer */

/** @param {number} status @param {string} code @param {string} message @param {string | null} [field] @returns {Answer} */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, field } },
});
const absent = () => refused(404, 'not_found', 'There is no such collection.');
const stamp = (days = 0) => new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z');

/**
 * @param {{ items: () => any[], valuesOf: (item: any, field: string) => any[], picture: Buffer, user: () => any,
 *   sorted: (items: any[], sort: string, order: string) => any[] }} around
 */
export function collections(around) {
  /** @type {{ id: number, name: string, description: string | null, public: boolean, owner: any, kind: string, rule: any, items: number[], version: number, created_at: string, updated_at: string }[]} */
  const lists = [];
  /** Rules of all previews. @type {any[]} */
  const previewed = [];
  let last = 0;
  const me = () => ({ id: around.user().id, username: around.user().username });

  /** @param {string} name @param {any} owner @param {any} [more] */
  function make(
    name,
    owner,
    { description = null, public: isPublic = false, rule = null, items = [], days = 0 } = {},
  ) {
    const list = {
      ...{ id: (last += 1), name, description, public: isPublic, owner, version: 1 },
      ...{ kind: rule ? 'smart' : 'manual', rule, items: [...items] },
      ...{ created_at: stamp(days + 20), updated_at: stamp(days) },
    };
    lists.push(list);
    return list;
  }

  /** @param {any} rule */
  const selected = (rule) => select(rule, around.items(), around.valuesOf, around.sorted);
  /** @param {(typeof lists)[number]} list */
  function itemsOf(list) {
    if (list.rule) return selected(list.rule);
    const known = new Map(around.items().map((item) => [item.id, item]));
    return list.items.flatMap((id) => known.get(id) ?? []);
  }
  /** @param {(typeof lists)[number]} list */
  const view = (list) => ({
    ...{ id: list.id, name: list.name, description: list.description, public: list.public },
    ...{ owner: list.owner, own: list.owner.id === 1, kind: list.kind, version: list.version },
    ...{ created_at: list.created_at, updated_at: list.updated_at, cover: null },
    item_count: itemsOf(list).length,
    rule: list.owner.id === 1 ? list.rule : null,
  });
  /** @param {(typeof lists)[number]} list */
  const listView = (list) => (list.rule ? { ...view(list), item_count: null, rule: null } : view(list));
  /** @param {URLSearchParams} q @param {any[]} all */
  const window = (q, all) => {
    const offset = Number(q.get('offset') ?? 0);
    const limit = Number(q.get('limit') ?? 60);
    return { offset, limit, total: all.length, items: all.slice(offset, offset + limit) };
  };
  /** @param {any} rule */
  function refusedRule(rule) {
    const error = errorIn(rule);
    return error && refused(422, 'invalid', error.message, error.path);
  }

  /** @param {RegExpMatchArray} m @param {string | null} expected @param {(list: any) => Answer | any} act */
  function write(m, expected, act) {
    const list = lists.find((one) => one.id === Number(m[1]));
    if (!list) return absent();
    if (list.owner.id !== 1) return refused(403, 'forbidden', 'Only the owner can change a collection.');
    if (expected !== null && expected !== `"${list.version}"`)
      return refused(412, 'precondition_failed', 'It has another version.');
    const answer = act(list);
    if (answer?.status >= 400) return answer;
    list.version += 1;
    list.updated_at = stamp();
    return answer ?? view(list);
  }

  /** @param {any} body */
  function create(body) {
    if (!body.name?.trim()) return refused(422, 'invalid', 'A name is required.', 'name');
    if (body.kind === 'smart') {
      const error = refusedRule(body.rule ?? null);
      if (error) return error;
    }
    return { status: 201, body: view(make(body.name.trim(), me(), body)) };
  }

  /** @param {any} list @param {any} body */
  function add(list, body) {
    if (list.rule) return refused(409, 'conflict', 'The collection is smart.');
    const fresh = body.items.filter((/** @type {number} */ id) => !list.items.includes(id));
    list.items.splice(body.at ?? list.items.length, 0, ...fresh);
    const counts = { added: fresh.length, skipped: body.items.length - fresh.length };
    return { status: 201, body: { ...counts, entry_count: list.items.length, version: list.version + 1 } };
  }

  /** @param {any} list @param {any} body */
  function move(list, body) {
    for (const { id, to } of body.move) {
      const from = list.items.indexOf(id);
      if (from < 0 || to >= list.items.length) return refused(422, 'invalid', 'No such item.', 'move');
      list.items.splice(to, 0, ...list.items.splice(from, 1));
    }
    return undefined;
  }

  /** @param {any} list @param {any} body */
  function update(list, body) {
    const error = body.rule === undefined ? null : refusedRule(body.rule);
    if (error) return error;
    return void Object.assign(list, body);
  }

  /** @param {URLSearchParams} q */
  function listed(q) {
    const text = (q.get('q') ?? '').toLocaleLowerCase();
    const fits = lists.filter(
      (one) =>
        one.name.toLocaleLowerCase().includes(text) &&
        (q.get('own') === null || (one.owner.id === 1) === (q.get('own') === 'true')),
    );
    const by = { updated: 'updated_at', created: 'created_at' }[q.get('sort') ?? ''] ?? 'name';
    fits.sort((a, b) => /** @type {any} */ (a)[by].localeCompare(/** @type {any} */ (b)[by]));
    return window(q, (q.get('order') === 'desc' ? fits.reverse() : fits).map(listView));
  }

  /** @param {RegExpMatchArray} m @param {URLSearchParams} q */
  function items(m, q) {
    const list = lists.find((one) => one.id === Number(m[1]));
    if (!list) return absent();
    const all = itemsOf(list);
    const sort = q.get('sort');
    return window(q, sort ? around.sorted(all, sort, q.get('order') ?? 'asc') : all);
  }

  /** @param {URLSearchParams} q @param {any} body */
  function preview(q, body) {
    previewed.push(body.rule);
    return refusedRule(body.rule) ?? window(q, selected(body.rule));
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any, expected: string | null) => any][]} */
  const table = [
    ['GET', /^\/collections$/, (_, q) => listed(q)],
    ['POST', /^\/collections$/, (_, __, b) => create(b)],
    ['POST', /^\/collections\/preview$/, (_, q, b) => preview(q, b)],
    [
      'GET',
      /^\/collections\/(\d+)$/,
      (m) => {
        const list = lists.find((one) => one.id === Number(m[1]));
        return list ? view(list) : absent();
      },
    ],
    ['PATCH', /^\/collections\/(\d+)$/, (m, _, b, e) => write(m, e, (list) => update(list, b))],
    [
      'DELETE',
      /^\/collections\/(\d+)$/,
      (m, _, __, e) =>
        write(m, e, (list) => {
          lists.splice(lists.indexOf(list), 1);
          return { status: 204 };
        }),
    ],
    ['GET', /^\/collections\/(\d+)\/items$/, items],
    ['POST', /^\/collections\/(\d+)\/items$/, (m, _, b, e) => write(m, e, (list) => add(list, b))],
    ['PATCH', /^\/collections\/(\d+)\/items$/, (m, _, b, e) => write(m, e, (list) => move(list, b))],
    [
      'DELETE',
      /^\/collections\/(\d+)\/items$/,
      (m, q, _, e) =>
        write(m, e, (list) => {
          const gone = (q.get('id') ?? '').split(',').map(Number);
          list.items = list.items.filter((/** @type {number} */ id) => !gone.includes(id));
        }),
    ],
    ['GET', /^\/collections\/(\d+)\/cover$/, () => ({ status: 200, type: 'image/png', raw: around.picture })],
  ];

  return { table, lists, previewed, make, me };
}
