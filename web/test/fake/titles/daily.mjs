/** A daily show of the stand-in server: episodes by date, and a season with two versions of an episode. */

/** The show, which exists if the option `daily` is set. */
export const DAILY = 902;
const FIRST_FILE = DAILY * 100;

/** @type {[season: number, episode: number, last: number | null, title: string | null, ending: string][]} */
const FILES = [
  [1, 1, null, null, 'S01E01.720p'],
  [1, 1, null, null, 'S01E01.1080p'],
  [1, 2, 3, null, 'S01E02-E03'],
  [1, 4, null, 'The Harbour Master', 'S01E04'],
  [2023, 105, null, null, '2023-01-05'],
  [2023, 107, null, 'Fog Over the Pier', '2023-01-07'],
  [2023, 1230, null, null, '2023-12-30'],
];

export function dailyFiles() {
  return FILES.map(([season, episode, last, title, ending], index) => ({
    ...{
      id: FIRST_FILE + index,
      name: `Harbour Report ${ending}.webm`,
      path: `Harbour Report/${ending}.webm`,
    },
    ...{ size: 1_204_000_000, mtime: '2025-04-01T00:00:00.000000Z', mime: 'video/webm', viewer: 'video' },
    ...{ missing: false, missing_since: null, container: 'webm', vcodec: 'vp9', acodec: 'opus' },
    ...{ width: 1280, height: 720, duration: 12, part: null, unit: 'second', extent: 12 },
    ...{ season, episode, last_episode: last, title, chapters: [], streams: [], progress: null },
    ...{ favourite: false, rating: null, plays: 0, played_at: null },
    content_url: `/api/v1/files/${FIRST_FILE + index}/content`,
  }));
}

/** @param {string} added */
export const dailyItem = (added) => ({
  ...{ id: DAILY, library_id: 1, kind: 'video', subkind: null, title: 'Harbour Report', year: 2023 },
  ...{ authors: '', cover: null, missing: false, added_at: added, duration: null, pages: null },
  ...{ size: 9_000_000, released: '2023', favourite: false, rating: null, progress: null },
  description: 'The news of the harbour, every day.',
});
