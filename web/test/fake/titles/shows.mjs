/** A show of the stand-in server: seasons, specials, a gap, pictures, and the marks of its episodes. */
import { picture, pictureOf } from './pictures.mjs';

/** The show, which exists if the option `show` is set. */
export const SHOW = 900;
const FIRST_FILE = SHOW * 1000;
const MINUTE = 60;
const WEEK = 7;

const TITLES = [
  ['Thirteen Steps', 54],
  ['What the Pilot Saw', 49],
  ['The Ferry Nobody Took', 51],
  ['Low Water', 50],
  ['A House Above the Cannery Road', 52],
  ['Night Shift', 47],
  ['Two at the Table', 50],
  ['Slack Tide', 68],
];
const SUMMARIES = [
  'The lamp goes dark the night the pilot boat is due. Runa climbs the tower alone.',
  'Two witnesses give the same account, word for word, and Aske stops trusting both.',
  'A timetable from 1988 puts Runa’s father somewhere he always said he was not.',
  'The tide uncovers the slipway, and what was left on it.',
  'The council buys the last house on the hill, and somebody has already packed it.',
  'Halvard keeps the light for one night in exchange for a name. '.repeat(5).trim(),
];
const SPECIALS = [
  ['The Making of the Lamp', 31],
  ['Deleted Scenes', 12],
  ['A Winter on Saltholm', 44],
];
/** The library lacks this episode. */
const GAP = { season: 2, episode: 4 };
/** The last scan did not find this episode. */
const MISSING = { season: 3, episode: 5 };

/** @param {{ season: number, episode: number }} one @param {{ season: number, episode: number }} other */
const isSame = (one, other) => one.season === other.season && one.episode === other.episode;

/** The episodes of a season. @param {number} season @param {number} count */
function season(season, count) {
  const names = season === 0 ? SPECIALS : TITLES;
  return Array.from({ length: count }, (_, at) => {
    const [title, minutes] = /** @type {[string, number]} */ (names[at % names.length]);
    const name = at < names.length ? title : null;
    return { season, episode: at + 1, title: season === 3 && at === 6 ? null : name, minutes };
  });
}

/** The files of the show. @param {number} length number of episodes of season 3 */
export function showFiles(length) {
  const all = [...season(1, 8), ...season(2, 8), ...season(3, length), ...season(0, 3)];
  return all
    .filter((one) => !isSame(one, GAP))
    .map(({ season, episode, title, minutes }, index) => ({
      id: FIRST_FILE + index,
      name: `The Salt Line S0${season}E${String(episode).padStart(2, '0')}.webm`,
      path: `The Salt Line/Season ${season}/E${episode}.webm`,
      size: 1_204_000_000 + index * 90_500,
      mtime: '2025-04-01T00:00:00.000000Z',
      mime: 'video/webm',
      viewer: 'video',
      missing: isSame({ season, episode }, MISSING),
      missing_since: isSame({ season, episode }, MISSING) ? '2025-05-01T00:00:00.000000Z' : null,
      container: 'webm',
      // No browser and no decoder plays it.
      vcodec: season === 3 && episode === 4 ? 'vvc' : 'vp9',
      acodec: 'opus',
      width: 1280,
      height: 720,
      duration: minutes * MINUTE,
      part: null,
      season,
      episode,
      last_episode: null,
      title,
      unit: 'second',
      extent: minutes * MINUTE,
      chapters: [],
      streams: [],
      progress: null,
      favourite: false,
      rating: null,
      plays: 0,
      played_at: null,
      content_url: `/api/v1/files/${FIRST_FILE + index}/content`,
    }));
}

/** @param {string} added */
export const showItem = (added) => ({
  ...{ id: SHOW, library_id: 1, kind: 'video', subkind: null, title: 'The Salt Line', year: 2023 },
  ...{ authors: '', cover: null, missing: false, added_at: added, duration: null, pages: null },
  ...{ size: 9_000_000, released: '2023', favourite: false, rating: null, progress: null },
  description:
    'When the lighthouse at Saltholm fails for the first time in eighty years, its last keeper returns to find out who turned off the lamp, and who was at sea when it went dark.',
});

/** Pictures of the show for its details. */
export const showPictures = () => ({
  backdrop: picture(SHOW, 'backdrop', 1208, 460),
  logo: picture(SHOW, 'logo', 364, 95),
});

/**
 * @param {object} world
 * @param {(id: number) => any} world.itemOf
 * @param {(item: any) => any[]} world.filesOf
 * @param {Map<number, any>} world.rows progress by file
 * @param {(file: any, body: any, days?: number) => any} world.store
 * @param {boolean} world.hasSummaries
 */
export function shows({ itemOf, filesOf, rows, store, hasSummaries }) {
  /** The marks of this session. @type {any[]} */
  const marks = [];

  /** @param {number} id */
  function episodesOf(id) {
    const item = itemOf(id);
    const files = (item ? filesOf(item) : []).filter((file) => file.season !== null);
    // Versions of an episode are one.
    return files
      .filter((file) => file === files.find((other) => isSame(file, other)))
      .map((file, at) => ({
        file_id: file.id,
        season: file.season,
        episode: file.episode,
        last_episode: file.last_episode,
        title: file.title,
        air_date: id === SHOW ? aired(file) : null,
        description: id === SHOW && hasSummaries ? (SUMMARIES[file.episode - 1] ?? null) : null,
        still:
          id === SHOW && at % 5 !== 4 && file.episode < 60 ? picture(SHOW, `still-${at}`, 160, 90) : null,
        duration: file.extent,
        missing: file.missing,
        progress: rows.get(file.id) ?? null,
      }))
      .sort((a, b) => Number(a.season === 0) - Number(b.season === 0));
  }

  /** @param {any} file */
  function aired(file) {
    if (file.season === 0) return null;
    const first = Date.UTC(2022 + file.season, 2, 6);
    return new Date(first + (file.episode - 1) * WEEK * 86_400_000).toISOString().slice(0, 10);
  }

  /** @param {number} id */
  function seasons(id) {
    const all = episodesOf(id);
    if (all.length === 0) return refusal(404, 'not_found', 'No such season.');
    const numbers = [...new Set(all.map((one) => one.season))];
    return {
      items: numbers.map((number) => {
        const own = all.filter((one) => one.season === number);
        const duration = own.reduce((sum, one) => sum + (one.duration ?? 0), 0);
        const finished = own.filter((one) => one.progress?.finished).length;
        // The other seasons have no poster.
        const hasPoster = id === SHOW && (number === 1 || number === 2);
        const poster = hasPoster ? picture(SHOW, `poster-${number}`, 200, 300) : null;
        const episodes = own.reduce(
          (sum, one) => sum + (one.last_episode ?? one.episode) - one.episode + 1,
          0,
        );
        return { season: number, poster, episodes, finished, duration };
      }),
    };
  }

  /** @param {number} id @param {URLSearchParams} q */
  function episodes(id, q) {
    const all = episodesOf(id);
    if (all.length === 0) return refusal(404, 'not_found', 'No such season.');
    const own = all.filter((one) => q.get('season') === null || one.season === Number(q.get('season')));
    const offset = Number(q.get('offset') ?? 0);
    const limit = Number(q.get('limit') ?? 60);
    return { items: own.slice(offset, offset + limit), total: own.length, offset, limit };
  }

  /** @param {any[]} files @param {any} body */
  function selected(files, body) {
    if (body.files) return files.filter((file) => body.files.includes(file.id));
    if (body.season != null) return files.filter((file) => file.season === body.season);
    const last = files.findIndex((file) => file.id === body.until);
    if (last < 0) return files;
    const isSpecial = files[last].season === 0;
    return files.slice(0, last + 1).filter((file) => isSpecial || file.season !== 0);
  }

  /** @param {number} id @param {any} body */
  function mark(id, body) {
    marks.push({ id, ...body });
    let changed = 0;
    for (const file of selected(filesOf(itemOf(id)), body)) {
      const row = rows.get(file.id);
      if (body.finished ? row?.finished : !row) continue;
      if (body.finished) store(file, { position: file.extent ?? 0, finished: true });
      else rows.delete(file.id);
      changed += 1;
    }
    return { status: 200, body: { changed } };
  }

  /** Season 1 and two episodes of season 2 are watched, and most of the third. */
  function begin() {
    const files = filesOf(itemOf(SHOW));
    for (const file of files.slice(0, 10)) store(file, { position: file.extent, finished: true }, 1);
    store(files[10], { position: files[10].extent - 12 * MINUTE, finished: false });
  }

  /** @type {[string, RegExp, (m: RegExpMatchArray, q: URLSearchParams, b: any) => any][]} */
  const table = [
    ['GET', /^\/items\/(\d+)\/seasons$/, (m) => seasons(Number(m[1]))],
    ['GET', /^\/items\/(\d+)\/episodes$/, (m, q) => episodes(Number(m[1]), q)],
    ['POST', /^\/items\/(\d+)\/mark$/, (m, _, b) => mark(Number(m[1]), b)],
    ['GET', /^\/items\/\d+\/pictures\/([\w-]+)$/, (m) => pictureOf(String(m[1]))],
  ];
  return { table, marks, begin };
}

/** @param {number} status @param {string} code @param {string} message */
function refusal(status, code, message) {
  return { status, body: { error: { code, message } } };
}
