/** Sessions, sums and the year of the stand-in server. The days are those of UTC. */

const DAY = 86_400_000;
/** Number of days with possible sessions. */
const DAYS = 800;
const MINUTES = [7, 12, 18, 25, 34, 48, 65, 90, 130, 185];
const HOURS = [6, 7, 12, 17, 18, 19, 20, 20, 21, 21, 21, 22, 23];
/** Items with sessions, the most frequent first. */
const USED = [6, 182, 190, 2, 183, 4, 194, 198, 3, 186, 191, 1, 185, 199, 20, 8, 184, 196];
/** Items without a page after their session: purged ones. */
const GONE = 20;

const hash = (/** @type {number} */ seed) => {
  const x = Math.sin(seed * 12.9898) * 43758.5453;
  return x - Math.floor(x);
};
/** @template T @param {T[]} list @param {number} share @returns {T} */
const pick = (list, share) => /** @type {T} */ (list[Math.floor(share * list.length)]);
const dateOf = (/** @type {number} */ time) => new Date(time).toISOString().slice(0, 10);
const empty = () => ({ seconds: 0, pages: 0, sessions: 0, finished: 0 });

/** @param {any} sums @param {any} session */
function add(sums, session) {
  sums.seconds += session.seconds;
  sums.pages += session.pages;
  sums.sessions += 1;
  sums.finished += session.finished ? 1 : 0;
}

/** @param {any[]} items */
function makeSessions(items) {
  const byId = new Map(items.map((item) => [item.id, item]));
  const midnight = Date.parse(`${dateOf(Date.now())}T00:00:00Z`);
  const sessions = [];
  for (let day = 0; day < DAYS; day += 1) {
    // A streak in the summer of each year, and pauses.
    const date = dateOf(midnight - day * DAY).slice(5);
    const isBusy = date >= '07-15' && date <= '08-06';
    const count = isBusy ? 3 : Math.floor(hash(day) * 3.4);
    for (let n = 0; n < count; n += 1) {
      const seed = day * 7 + n;
      const item = byId.get(pick(USED, hash(seed + 0.3) ** 1.6));
      if (!item) continue;
      const start = midnight - day * DAY + pick(HOURS, hash(seed + 0.1)) * 3_600_000 + n * 600_000;
      const seconds = pick(MINUTES, hash(seed + 0.2)) * 60;
      if (start + seconds * 1000 > Date.now()) continue;
      const isBook = item.kind === 'books';
      sessions.push({
        ...{
          item,
          start,
          end: start + seconds * 1000,
          seconds,
          pages: isBook ? Math.round(seconds / 70) : 0,
        },
        finished: hash(seed + 0.5) > 0.9,
      });
    }
  }
  return sessions.sort((a, b) => b.start - a.start);
}

/** @param {number} time */
function weekOf(time) {
  const thursday = time + (3 - ((new Date(time).getUTCDay() + 6) % 7)) * DAY;
  const year = new Date(thursday).getUTCFullYear();
  const week = Math.floor((thursday - Date.UTC(year, 0, 1)) / DAY / 7) + 1;
  return `${year}-W${String(week).padStart(2, '0')}`;
}

/**
 * @param {{ items: () => any[], genresOf: (item: any) => string[], authors: string[], kinds: any[], paged: (q: URLSearchParams, all: any[]) => any, refusal: (status: number, code: string, message: string, field?: string) => any }} around
 * @param {{ statistics: 'full' | 'none' | 'off' }} options
 */
export function statistics({ items, genresOf, authors, kinds, paged, refusal }, options) {
  /** @type {any[] | null} */
  let made = options.statistics === 'none' ? [] : null;
  const sessions = () => (made ??= makeSessions(items()));
  const settings = { statistics: options.statistics !== 'off' };
  /** Requests for sums, with their parameters. @type {string[]} */
  const asked = [];

  /** @param {any} session */
  const titled = (session) => session.item.id !== GONE;
  /** @type {Record<string, (session: any) => [string | number, string][]>} */
  const keys = {
    day: ({ start }) => [[dateOf(start), dateOf(start)]],
    week: ({ start }) => [[weekOf(start), weekOf(start)]],
    month: ({ start }) => [[dateOf(start).slice(0, 7), dateOf(start).slice(0, 7)]],
    year: ({ start }) => [[dateOf(start).slice(0, 4), dateOf(start).slice(0, 4)]],
    hour: ({ start }) => [[new Date(start).getUTCHours(), String(new Date(start).getUTCHours())]],
    kind: ({ item }) => [[item.kind, kinds.find(({ id }) => id === item.kind)?.label_plural ?? item.kind]],
    author: ({ item }) =>
      item.authors
        ? item.authors.split(', ').map((/** @type {string} */ one) => [authors.indexOf(one) + 1, one])
        : [],
    genre: ({ item }) => genresOf(item).map((name, at) => [item.id * 10 + at, name]),
    item: ({ item }) => [[item.id, item.title]],
  };
  const TIMES = ['day', 'week', 'month', 'year', 'hour'];

  /** @param {any[]} chosen @param {string} by */
  function groups(chosen, by) {
    const isOfItem = ['author', 'genre', 'item'].includes(by);
    const found = new Map();
    for (const session of chosen.filter((one) => !isOfItem || titled(one)))
      for (const [key, name] of keys[by]?.(session) ?? []) {
        const known = found.get(name) ?? { key, name, ...empty(), ids: new Set() };
        add(known, session);
        known.ids.add(session.item.id);
        found.set(name, known);
      }
    const entries = [...found.values()].map(({ ids, ...entry }) => ({ ...entry, items: ids.size }));
    return TIMES.includes(by)
      ? entries.sort((a, b) => (a.key < b.key ? -1 : 1))
      : entries.sort((a, b) => b.seconds - a.seconds);
  }
  /** @param {any[]} entries @returns {any[]} */
  const plain = (entries) =>
    entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([name]) => name !== 'items')));

  /** @param {string} from @param {string} to */
  const within = (from, to) => sessions().filter(({ start }) => dateOf(start) >= from && dateOf(start) <= to);

  /** @param {URLSearchParams} q */
  function overview(q) {
    asked.push(q.toString());
    const to = q.get('to') ?? dateOf(Date.now());
    const from = q.get('from') ?? dateOf(Date.parse(to) - 29 * DAY);
    const by = q.get('by') ?? 'day';
    if (to < from) return refusal(422, 'invalid', 'The range ends before its start.', 'to');
    const chosen = within(from, to);
    const totals = { ...empty(), days: new Set(chosen.map(({ start }) => dateOf(start))).size };
    for (const session of chosen) add(totals, session);
    return { from, to, by, totals, items: plain(groups(chosen, by)) };
  }

  /** @param {string} year */
  function yearOf(year) {
    const chosen = within(`${year}-01-01`, `${year}-12-31`);
    const calendar = plain(groups(chosen, 'day')).map(({ key, seconds, pages }) => ({
      date: key,
      seconds,
      pages,
    }));
    const sums = empty();
    for (const session of chosen) add(sums, session);
    const hours = Array.from({ length: 24 }, () => 0);
    for (const { start, seconds } of chosen) hours[new Date(start).getUTCHours()] += seconds;
    return {
      year: Number(year),
      ...{ seconds: sums.seconds, pages: sums.pages },
      by_kind: plain(groups(chosen, 'kind')),
      calendar,
      ...streakOf(calendar.map(({ date }) => date)),
      authors: groups(chosen, 'author').slice(0, 10),
      genres: plain(groups(chosen, 'genre')).slice(0, 10),
      finished: chosen
        .filter((session) => session.finished && titled(session))
        .map(({ item, end }) => ({ item, finished_at: new Date(end).toISOString() }))
        .reverse(),
      hours,
    };
  }

  /** @param {string[]} dates */
  function streakOf(dates) {
    let best = {
      longest_streak: 0,
      streak_from: /** @type {string | null} */ (null),
      streak_to: /** @type {string | null} */ (null),
    };
    let start = 0;
    dates.forEach((date, at) => {
      if (at > 0 && Date.parse(date) - Date.parse(String(dates[at - 1])) > DAY) start = at;
      if (at - start + 1 > best.longest_streak)
        best = { longest_streak: at - start + 1, streak_from: String(dates[start]), streak_to: date };
    });
    return best;
  }

  /** @param {URLSearchParams} q */
  function list(q) {
    const rows = within(q.get('from') ?? '', q.get('to') ?? '9998').map((session) => ({
      start: new Date(session.start).toISOString(),
      end: new Date(session.end).toISOString(),
      kind: session.item.kind,
      item_id: titled(session) ? session.item.id : null,
      title: titled(session) ? session.item.title : null,
      ...{ seconds: session.seconds, pages: session.pages, finished: session.finished },
    }));
    return paged(q, rows);
  }

  return {
    asked,
    settings,
    get count() {
      return sessions().length;
    },
    /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
    table: [
      ['GET', /^\/stats$/, (_, q) => overview(q)],
      [
        'DELETE',
        /^\/stats$/,
        () => {
          made = [];
          return { status: 204 };
        },
      ],
      ['GET', /^\/stats\/year\/(\d+)$/, (m) => yearOf(String(m[1]))],
      [
        'GET',
        /^\/stats\/year\/\d+\.svg$/,
        () => ({
          ...{ status: 200, type: 'image/svg+xml' },
          raw: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'),
        }),
      ],
      ['GET', /^\/stats\/sessions$/, (_, q) => list(q)],
      [
        'GET',
        /^\/stats\/export$/,
        (_, q) => ({
          ...{ status: 200, type: q.get('format') === 'json' ? 'application/json' : 'text/csv' },
          raw: Buffer.from(
            q.get('format') === 'json' ? '[]' : 'start,end,kind,item_id,title,seconds,pages\n',
          ),
        }),
      ],
      ['GET', /^\/me\/settings$/, () => ({ ...settings })],
      ['PATCH', /^\/me\/settings$/, (_, __, b) => ({ ...Object.assign(settings, b) })],
    ],
  };
}
