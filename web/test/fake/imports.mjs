/** Imports in the stand-in server: a check, a run, and their undo. The first answer of a job is that it runs. */

/** @param {number} status @param {string} code @param {string} message @param {string | null} field */
const refused = (status, code, message, field = null) => ({
  status,
  body: { error: { code, message, ...(field === null ? {} : { field }) } },
});

const NAMES = ['ann', 'ben'];

/** @param {{ usernames: () => string[], stamp: (days: number) => string }} around */
export function imports({ usernames, stamp }) {
  /** @type {{ id: number, request: any, asked: number, batch: number | null }[]} */
  const jobs = [];
  /** @type {any[]} */
  const batches = [
    {
      id: 1001,
      at: stamp(12),
      action: 'import',
      user: { id: 1, username: 'admin' },
      changed: 214,
      fields: [],
      undone_at: null,
    },
    {
      id: 7,
      at: stamp(13),
      action: 'edit',
      user: { id: 1, username: 'admin' },
      changed: 3,
      fields: ['year'],
      undone_at: null,
    },
  ];

  /** @param {any} request */
  function start(request) {
    if (!request.path.startsWith('/'))
      return refused(422, 'invalid', '`path` is an absolute path on the server.', 'path');
    const id = 300 + jobs.length;
    const batch = request.dry_run ? null : 1001 + batches.length;
    jobs.push({ id, request, asked: 0, batch });
    return { status: 202, body: { job_id: id } };
  }

  /** The user of each user of the source. @param {any} request */
  const usersOf = (request) =>
    NAMES.map((theirs) => {
      const entry = request.users.find((/** @type {any} */ one) => one.theirs === theirs);
      const equal = usernames().find((name) => name === theirs) ?? null;
      return { theirs, ours: entry ? entry.ours : equal };
    });

  /** @param {number} id */
  function get(id) {
    const job = jobs.find((one) => one.id === id);
    if (!job) return refused(404, 'not_found', 'No such import.');
    job.asked += 1;
    const { request } = job;
    const isFailed = request.path.includes('old');
    const status = job.asked === 1 ? 'running' : isFailed ? 'failed' : 'done';
    const users = usersOf(request);
    const known = users.filter(({ ours }) => ours).length;
    const matched = status === 'done' ? 118 * known : 0;
    const number = (/** @type {number} */ n) => (status === 'done' ? n * known : 0);
    if (status === 'done' && job.batch !== null && !batches.some((one) => one.id === job.batch))
      batches.unshift({
        id: job.batch,
        at: stamp(0),
        action: 'import',
        user: { id: 1, username: 'admin' },
        changed: matched,
        fields: [],
        undone_at: null,
      });
    return {
      status: 200,
      body: {
        ...{ status, source: request.source, dry_run: request.dry_run, matched },
        error:
          status === 'failed'
            ? 'navidrome: version 20200101000000 is older than the oldest known version 20241026183640.'
            : null,
        version: status === 'done' ? '20260819204637' : null,
        batch: status === 'done' ? job.batch : null,
        users: status === 'done' ? users : [],
        unmatched: status === 'done' ? 63 : 0,
        taken: {
          progress: number(80),
          finished: number(12),
          favourites: number(9),
          ratings: 0,
          playlists: number(2),
          collections: 0,
          plays: number(40),
          bookmarks: number(3),
          sessions: 0,
          saves: 0,
        },
        skipped: { newer_here: number(4), unchanged: number(1), changed_here: 0, unsupported: 2 },
        report: status === 'done' ? report(users) : [],
      },
    };
  }

  /** @param {{ theirs: string, ours: string | null }[]} users */
  const report = (users) =>
    Array.from({ length: 63 }, (_, at) => {
      const user = users[at % 2];
      return {
        type: ['progress', 'favourite', 'playlist'][at % 3],
        user: user?.theirs ?? '',
        path: `/music/Artist ${at}/Album/0${(at % 9) + 1} Song.flac`,
        title: at % 4 === 0 ? '' : `Song ${at}`,
        reason: user?.ours ? ['no_file', 'ambiguous'][at % 2] : 'no_user',
      };
    });

  /** @param {number} id */
  function undo(id) {
    const batch = batches.find((one) => one.id === id);
    if (!batch) return refused(404, 'not_found', 'No such edit.');
    const restored = batch.undone_at ? 0 : batch.changed;
    batch.undone_at ??= stamp(0);
    return { restored, skipped: 1 };
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
  const table = [
    ['POST', /^\/imports$/, (_m, _q, b) => start(b)],
    ['GET', /^\/imports\/(\d+)$/, (m) => get(Number(m[1]))],
    ['GET', /^\/edits$/, () => ({ items: batches, total: batches.length, offset: 0, limit: 100 })],
    ['POST', /^\/edits\/(1\d{3})\/undo$/, (m) => undo(Number(m[1]))],
    ['GET', /^\/me\/export$/, () => ({ status: 200, raw: Buffer.from('PK'), type: 'application/zip' })],
  ];
  return { table, jobs };
}
