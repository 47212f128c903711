/** Activity, status and backups of the stand-in server. */

const HOUR = 3_600_000;
const GB = 1_000_000_000;
/** Gigabytes per hour of a usual day, from midnight. */
const USUAL = [
  1.1, 0.6, 0.4, 0.2, 0.1, 0.1, 0.3, 0.9, 1.4, 1.2, 0.8, 0.9, 1.6, 2, 1.3, 1.1, 1.5, 2.2, 3.1, 4.2, 4.9, 4.4,
  3.6, 2.9,
];

const ago = (/** @type {number} */ hours) => new Date(Date.now() - hours * HOUR).toISOString();

/**
 * @param {{ libraries: () => any[], job: (id: number, kind: string, status: string, error: string | null) => any, refusal: (status: number, code: string, message: string) => any }} around
 * @param {{ server: 'normal' | 'quiet' | 'warnings', backupFolder: boolean }} options
 */
export function dashboard({ libraries, job, refusal }, options) {
  const isQuiet = options.server === 'quiet';
  const isWarning = options.server === 'warnings';
  /** Numbers of requests by path. @type {Record<string, number>} */
  const asked = { activity: 0, status: 0, backups: 0 };
  /** Backups that were started. @type {any[]} */
  const started = [];
  const backups =
    isQuiet || !options.backupFolder
      ? []
      : [0, 1, 2].map((n) =>
          backup(
            `ledge-2026-11-${17 - n}.db`,
            (isWarning ? 9 : 0.4) * 24 + n * 24,
            398_000_000 - n * 4_000_000,
          ),
        );

  /** @param {string} name @param {number} hours @param {number} size */
  function backup(name, hours, size) {
    return { name, size, created_at: ago(hours), checked: true };
  }
  /** @param {[number, string]} user @param {string | null} device @param {string} kind @param {[number, string] | null} item @param {number} minutes @param {number} sent @param {number} rate */
  const stream = ([id, username], device, kind, item, minutes, sent, rate) => ({
    user: { id, username },
    device,
    kind,
    item_id: item?.[0] ?? null,
    file_id: item ? item[0] * 100 : null,
    title: item?.[1] ?? null,
    size: 5 * GB,
    sent,
    rate,
    started_at: ago(minutes / 60),
  });
  const streams = isQuiet
    ? []
    : [
        stream([2, 'jonas'], 'Living-room TV', 'video', [190, 'Metropolis'], 38, 4 * GB, 1_775_000),
        stream([3, 'guest'], 'Phone', 'audio', [183, 'Low Lanterns'], 12, 27_000_000, 37_500),
        stream([4, 'ada'], 'Tablet', 'video', null, 64, 2.4 * GB, 637_500),
        stream([1, 'marit'], 'Laptop', 'books', [6, 'Moby-Dick'], 0.4, 62_000_000, 0),
      ];
  const hours = () => {
    const hour = new Date().getHours();
    return USUAL.map((_, at) => (isQuiet ? 0 : (USUAL[(hour + 1 + at) % 24] ?? 0) * GB));
  };

  function status() {
    return {
      version: '1.4.0',
      schema: 41,
      uptime: 12 * 86_400 + 4 * 3600 + 900,
      database: { size: 412_000_000, wal: 9_000_000 },
      disk: { total: 98 * GB, free: isWarning ? 2.1 * GB : 34.2 * GB },
      libraries: libraries().map(({ id, name, counts }, at) => ({
        ...{ id, name, counts, size: 48_200_000_000 * (at + 1) },
        available: !(isWarning && at === 1),
        last_scan_at: ago(2 + at * 20),
      })),
      jobs: { queued: isQuiet ? 0 : 12, running: isQuiet ? 0 : 1, failed: isQuiet ? 0 : 1 },
      last_backup_at: backups[0]?.created_at ?? null,
      warnings: isWarning ? [{ code: 'backup_old', message: 'The newest backup is old.' }] : [],
    };
  }

  function create() {
    if (!options.backupFolder) return refusal(409, 'conflict', 'No folder for backups is set.');
    const id = 90 + started.length;
    started.push(job(id, 'backup', 'running', null));
    return { status: 202, body: { job_id: id } };
  }

  /** @param {string} name @param {() => any} answer */
  const counted = (name, answer) => () => {
    asked[name] = (asked[name] ?? 0) + 1;
    return answer();
  };
  return {
    asked,
    started,
    /** Ends the running backup. @param {string | null} [error] */
    finish: (error = null) => {
      const running = started.at(-1);
      Object.assign(running, { status: error ? 'failed' : 'done', error });
      if (!error) backups.unshift(backup('ledge-2026-11-26.db', 0, 401_000_000));
      return running;
    },
    /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
    table: [
      [
        'GET',
        /^\/activity$/,
        counted('activity', () => {
          const all = hours();
          return { streams, bytes_24h: all.reduce((sum, one) => sum + one, 0), hours: all };
        }),
      ],
      ['GET', /^\/status$/, counted('status', status)],
      ['GET', /^\/backups$/, counted('backups', () => ({ items: backups }))],
      ['POST', /^\/backups$/, create],
    ],
  };
}
