/** Playlists and the queue of the stand-in server. The user is number 1; other users own some public playlists. */

/** @typedef {{ id: number, file: any, added: string }} Entry */
/** @typedef {{ status: number, body?: any, raw?: Buffer, type?: string, headers?: Record<string, string> }} Answer */

const MOST_ENTRIES = 10_000;
const MOST_QUEUED = 1000;

/** @param {number} status @param {string} code @param {string} message @param {string | null} [field] @returns {Answer} */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, field } },
});
const absent = () => refused(404, 'not_found', 'There is no such playlist.');
const stale = () => refused(412, 'precondition_failed', 'It has another version.');
const stamp = (days = 0) => new Date(Date.now() - days * 86_400_000).toISOString().replace('Z', '000Z');

/**
 * @param {{ itemOf: (id: number) => any, filesOf: (item: any) => any[], picture: Buffer, user: () => any }} around
 */
export function playlists(around) {
  /** @type {{ id: number, name: string, description: string | null, public: boolean, owner: any, version: number, created_at: string, updated_at: string, entries: Entry[] }[]} */
  const lists = [];
  /** @type {{ entries: Entry[], current: number | null, position: number, version: number, updated_at: string | null }} */
  const queue = { entries: [], current: null, position: 0, version: 0, updated_at: null };
  /** All writes to the queue. @type {any[]} */
  const queueWrites = [];
  let lastList = 0;
  let lastEntry = 0;
  const jonas = { id: 2, username: 'jonas' };
  const me = () => ({ id: around.user().id, username: around.user().username });

  /** @param {any} file @returns {Entry} */
  const entry = (file) => ({ id: (lastEntry += 1), file, added: stamp() });
  /** @param {any} file */
  const itemOf = (file) => around.itemOf(Math.floor(file.id / 100));

  /** Returns the files that an item adds. @param {number} id */
  function partsOf(id) {
    const item = around.itemOf(id);
    const files = item ? around.filesOf(item).filter(plays) : [];
    return files.some(isPart) ? files.filter(isPart) : files.slice(0, 1);
  }
  /** @param {any} file */
  const isPart = (file) => (file.part ?? file.episode) !== null;
  /** @param {any} file */
  const plays = (file) => ['audio', 'video'].includes(file.viewer);
  /** @param {number} id */
  function fileOf(id) {
    const item = around.itemOf(Math.floor(id / 100));
    return item && around.filesOf(item).find((file) => file.id === id && plays(file));
  }

  /**
   * @param {string} name @param {any} owner @param {number[]} items
   * @param {{ description?: string | null, public?: boolean, days?: number }} [more]
   */
  function make(name, owner, items, { description = null, public: isPublic = false, days = 0 } = {}) {
    const list = {
      ...{ id: (lastList += 1), name, description, public: isPublic, owner, version: 1 },
      ...{ created_at: stamp(days + 20), updated_at: stamp(days) },
      entries: items.flatMap(partsOf).map(entry),
    };
    lists.push(list);
    return list;
  }

  /** @param {(typeof lists)[number]} list */
  const view = (list) => ({
    ...{ id: list.id, name: list.name, description: list.description, public: list.public },
    ...{ owner: list.owner, own: list.owner.id === 1, version: list.version },
    ...{ created_at: list.created_at, updated_at: list.updated_at },
    entry_count: list.entries.length,
    duration: list.entries.reduce((sum, one) => sum + (one.file.duration ?? 0), 0),
    cover: null,
  });
  /** @param {Entry[]} entries @param {number} offset */
  const rows = (entries, offset) =>
    entries.map(({ id, file, added }, at) => {
      const item = itemOf(file);
      return {
        ...{ id, index: offset + at, item, file_id: file.id, title: file.title ?? item.title },
        ...{ duration: file.duration, missing: file.missing || item.missing, added_at: added },
      };
    });
  /** @param {URLSearchParams} q @param {any[]} all */
  const window = (q, all) => {
    const offset = Number(q.get('offset') ?? 0);
    const limit = Number(q.get('limit') ?? 60);
    return { offset, limit, total: all.length, items: all.slice(offset, offset + limit) };
  };

  /** @param {RegExpMatchArray} m @param {string | null} expected @param {(list: any) => Answer | any} act */
  function write(m, expected, act) {
    const list = lists.find((one) => one.id === Number(m[1]));
    if (!list) return absent();
    if (list.owner.id !== 1) return refused(403, 'forbidden', 'Only the owner can change a playlist.');
    if (expected !== null && expected !== `"${list.version}"`) return stale();
    const answer = act(list);
    if (answer?.status >= 400) return answer;
    list.version += 1;
    list.updated_at = stamp();
    return answer ?? view(list);
  }
  /** @param {any} body */
  const filesIn = (body) => [...(body.items ?? []).flatMap(partsOf), ...(body.files ?? []).map(fileOf)];

  /** @param {any} body */
  function create(body) {
    if (!body.name?.trim()) return refused(422, 'invalid', 'A name is required.', 'name');
    const files = filesIn(body);
    if (files.includes(undefined)) return refused(422, 'invalid', 'There is no such file.', 'files');
    const list = make(body.name.trim(), me(), [], body);
    list.entries = files.map(entry);
    return { status: 201, body: view(list) };
  }

  /** @param {any} list @param {any} body */
  function add(list, body) {
    const files = filesIn(body);
    if (files.length === 0 || files.includes(undefined))
      return refused(422, 'invalid', 'It has no file with a timeline.', 'items');
    const known = new Set(list.entries.map((/** @type {Entry} */ one) => one.file.id));
    const fresh = body.skip_existing ? files.filter((file) => !known.has(file.id)) : files;
    if (list.entries.length + fresh.length > MOST_ENTRIES)
      return refused(422, 'invalid', `A list has at most ${MOST_ENTRIES} entries.`, 'items');
    list.entries.splice(body.at ?? list.entries.length, 0, ...fresh.map(entry));
    const counts = { added: fresh.length, skipped: files.length - fresh.length };
    return {
      status: 201,
      body: { ...counts, entry_count: list.entries.length, version: list.version + 1 },
    };
  }

  /** @param {any} list @param {any} body */
  function move(list, body) {
    for (const { id, to } of body.move) {
      const from = list.entries.findIndex((/** @type {Entry} */ one) => one.id === id);
      if (from < 0 || to >= list.entries.length) return refused(422, 'invalid', 'No such entry.', 'move');
      const [one] = list.entries.splice(from, 1);
      list.entries.splice(to, 0, one);
    }
    return undefined;
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
    return window(q, (q.get('order') === 'desc' ? fits.reverse() : fits).map(view));
  }

  /** @param {URLSearchParams} q */
  function queued(q) {
    const page = window(q, queue.entries);
    const { current, position, version, updated_at } = queue;
    return { ...page, items: rows(page.items, page.offset), current, position, version, updated_at };
  }
  /** @param {string | null} expected @param {any} body @param {() => Answer | undefined | void} act */
  function writeQueue(expected, body, act) {
    if (expected !== null && expected !== `"${queue.version}"`) return stale();
    const answer = act();
    if (answer) return answer;
    queueWrites.push(body);
    queue.version += 1;
    queue.updated_at = stamp();
    return body === null ? { status: 204 } : queued(new URLSearchParams());
  }
  /** @param {any} body */
  function replace(body) {
    const files = body.files.map(fileOf);
    if (files.includes(undefined) || files.length > MOST_QUEUED)
      return refused(422, 'invalid', 'No such file.', 'files');
    const { current = 0, position = 0 } = body;
    Object.assign(queue, { entries: files.map(entry), current, position });
    return undefined;
  }
  /** @param {any} body */
  function update(body) {
    if (body.current >= queue.entries.length) return refused(422, 'invalid', 'Beyond the end.', 'current');
    Object.assign(queue, body);
    return undefined;
  }

  /** @param {RegExpMatchArray} m */
  function m3u8(m) {
    const list = lists.find((one) => one.id === Number(m[1]));
    if (!list) return absent();
    const lines = list.entries.map(({ file }) => `#EXTINF:${file.duration ?? -1},${file.name}\n/${file.id}`);
    const text = ['#EXTM3U', `#PLAYLIST:${list.name}`, ...lines, ''].join('\n');
    return { status: 200, type: 'audio/mpegurl', raw: Buffer.from(text) };
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any, expected: string | null) => any][]} */
  const table = [
    ['GET', /^\/playlists$/, (_, q) => listed(q)],
    ['POST', /^\/playlists$/, (_, __, b) => create(b)],
    ['GET', /^\/playlists\/(\d+)\.m3u8$/, m3u8],
    [
      'GET',
      /^\/playlists\/(\d+)$/,
      (m) => {
        const list = lists.find((one) => one.id === Number(m[1]));
        return list ? view(list) : absent();
      },
    ],
    [
      'PATCH',
      /^\/playlists\/(\d+)$/,
      (m, _, b, expected) => write(m, expected, (list) => void Object.assign(list, b)),
    ],
    [
      'DELETE',
      /^\/playlists\/(\d+)$/,
      (m, _, __, expected) =>
        write(m, expected, (list) => {
          lists.splice(lists.indexOf(list), 1);
          return { status: 204 };
        }),
    ],
    [
      'GET',
      /^\/playlists\/(\d+)\/entries$/,
      (m, q) => {
        const list = lists.find((one) => one.id === Number(m[1]));
        if (!list) return absent();
        const page = window(q, list.entries);
        return { ...page, items: rows(page.items, page.offset) };
      },
    ],
    ['POST', /^\/playlists\/(\d+)\/entries$/, (m, _, b, e) => write(m, e, (list) => add(list, b))],
    ['PATCH', /^\/playlists\/(\d+)\/entries$/, (m, _, b, e) => write(m, e, (list) => move(list, b))],
    [
      'DELETE',
      /^\/playlists\/(\d+)\/entries$/,
      (m, q, _, e) =>
        write(m, e, (list) => {
          const gone = (q.get('id') ?? '').split(',').map(Number);
          list.entries = list.entries.filter((/** @type {Entry} */ one) => !gone.includes(one.id));
        }),
    ],
    ['GET', /^\/playlists\/(\d+)\/cover$/, () => ({ status: 200, type: 'image/png', raw: around.picture })],
    ['GET', /^\/queue$/, (_, q) => queued(q)],
    ['PUT', /^\/queue$/, (_, __, b, e) => writeQueue(e, b, () => replace(b))],
    ['PATCH', /^\/queue$/, (_, __, b, e) => writeQueue(e, b, () => update(b))],
    [
      'DELETE',
      /^\/queue$/,
      (_, __, ___, e) =>
        writeQueue(e, null, () => void Object.assign(queue, { entries: [], current: null, position: 0 })),
    ],
  ];

  return {
    table,
    lists,
    queue,
    queueWrites,
    make,
    me,
    jonas,
    /** Replaces the queue, as another device does. @param {any} body */
    queueFromElsewhere: (body) => {
      replace(body);
      queue.version += 1;
      queue.updated_at = stamp();
    },
  };
}
