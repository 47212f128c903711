import { describe, expect, it } from 'vitest';
import type { AbsentEpisode, Episode, MediaFile, Progress } from '../../../../src/api/models';
import * as rows from '../../../../src/components/shows/episodes';

function episode(number: number | null, more: Partial<Episode> = {}): Episode {
  return {
    ...{ file_id: number ?? 99, season: 2, episode: number, last_episode: null, title: null },
    ...{ air_date: null, still: null, description: null, duration: null, missing: false, progress: null },
    ...more,
  };
}
function file(id: number, more: Partial<MediaFile> = {}): MediaFile {
  return { id, season: 2, episode: id, name: `Show S02E0${id}.mkv`, title: null, ...more } as MediaFile;
}
function place(file_id: number, minute: number, finished = false): Progress {
  const updated_at = `2026-11-21T12:0${minute}:00.000000Z`;
  return { file_id, position: 10, extent: 100, fraction: 0.1, finished, updated_at };
}
const row = (given: Episode, own: MediaFile | null = null): rows.EpisodeRow => ({
  episode: given,
  file: own,
  versions: own ? [own] : [],
});
const gapsOf = (files: MediaFile[], episodes: Episode[]) =>
  rows
    .rowsOf({ files }, episodes)
    .filter(rows.isGap)
    .map(({ from, to }) => [from, to]);

const missing = (number: number, title: string | null, season = 2): AbsentEpisode => ({
  ...{ season, episode: number, title, air_date: '2025-03-27' },
});
const outline = (found: rows.Row[]) =>
  found.map((one) =>
    rows.isGap(one)
      ? `gap ${one.from}-${one.to}`
      : rows.isAbsent(one)
        ? `absent ${one.absent.episode}`
        : `episode ${one.episode.episode}`,
  );

describe('the rows of a season', () => {
  it('contain a gap for consecutive absent numbers between the first and the last', () => {
    const files = [3, 4, 7, 9].map((n) => file(n));
    const list = [3, 4, 7, 9].map((n) => episode(n));
    expect(gapsOf(files, list)).toEqual([
      [5, 6],
      [8, 8],
    ]);
    expect(gapsOf([], [])).toEqual([]);
  });
  it('contain no gap for a file with several episodes', () => {
    const list = [episode(1, { last_episode: 2 }), episode(3, { last_episode: 5 }), episode(7)];
    expect(gapsOf([], list)).toEqual([[6, 6]]);
  });
  it('keep an episode without a number, which opens no gap', () => {
    const list = [episode(1), episode(2), episode(null)];
    expect(rows.rowsOf({ files: [file(1), file(2)] }, list)).toHaveLength(3);
    expect(gapsOf([], list)).toEqual([]);
  });
  it('contain absent episodes in their place, and gaps for the other numbers', () => {
    const list = [2, 5, 9].map((n) => episode(n));
    const absent = [
      ...[10, 4, 1].map((n) => missing(n, `Title ${n}`)),
      missing(8, null),
      missing(3, 'Another season', 1),
    ];
    expect(outline(rows.rowsOf({ files: [] }, list, absent))).toEqual([
      ...['absent 1', 'episode 2', 'gap 3-3', 'absent 4', 'episode 5', 'gap 6-7', 'absent 8', 'episode 9'],
      'absent 10',
    ]);
  });
  it('keep an unnumbered episode before the absent ones at the end', () => {
    const found = rows.rowsOf({ files: [] }, [episode(1), episode(null)], [missing(2, 'Second')]);
    expect(outline(found)).toEqual(['episode 1', 'episode null', 'absent 2']);
    expect(rows.rowsOf({ files: [] }, [], [missing(2, 'Second')])).toEqual([]);
  });
  it('contain all versions of an episode', () => {
    const files = [file(1), file(12, { episode: 1 }), file(2), file(13, { season: 1, episode: 1 })];
    const [first] = rows.rowsOf({ files }, [episode(1)]) as rows.EpisodeRow[];
    expect(first?.versions.map(({ id }) => id)).toEqual([1, 12]);
  });
});

describe('the rows of a season by date', () => {
  const daily = (number: number, more: Partial<Episode> = {}) => episode(number, { season: 2023, ...more });
  const dated = (number: number) =>
    file(number, {
      name: `Show 2023-${number / 100 < 10 ? 0 : ''}${Math.floor(number / 100)}-${String(number % 100).padStart(2, '0')}.mkv`,
    });
  it('contain no gap between dates, nor before a number without a date', () => {
    expect(gapsOf([105, 107, 1230].map(dated), [daily(105), daily(107), daily(1230), daily(1399)])).toEqual(
      [],
    );
  });
  it('contain absent episodes by their dates, because providers number them from 1', () => {
    const absent = [
      { ...missing(131, 'Second', 2023), air_date: '2023-01-06' },
      { ...missing(132, 'Last', 2023), air_date: '2023-12-31' },
    ];
    const found = rows.rowsOf({ files: [dated(105), dated(107)] }, [daily(105), daily(107)], absent);
    expect(outline(found)).toEqual(['episode 105', 'absent 131', 'episode 107', 'absent 132']);
    const codes = found.filter(rows.isAbsent).map((one) => rows.absentCode(one, 'long'));
    expect(codes).toEqual(['6 January 2023', '31 December 2023']);
  });
  it('keep the gaps of a season that is a year without dates', () => {
    expect(gapsOf([], [daily(1), daily(4)])).toEqual([[2, 3]]);
    const numbered = file(105, { name: 'Show S2023E105.mkv' });
    expect(gapsOf([numbered], [daily(105), daily(107)])).toEqual([[106, 106]]);
    expect(rows.nameOf(row(daily(105), numbered))).toBe('S2023 E105');
    expect(rows.gapName({ season: 2023, from: 2, to: 3 })).toBe('S2023 E2–S2023 E3');
  });
  it('are named by the date, which is not repeated as the broadcast', () => {
    expect(rows.seasonName(2023)).toBe('Season 2023');
    expect(rows.seasonName(0)).toBe('Specials');
    expect(rows.nameOf(row(daily(105, { title: 'Fog' }), dated(105)))).toBe('5 January 2023, Fog');
    expect(rows.broadcastOf(row(daily(105, { air_date: '2023-01-05' }), dated(105)))).toBe('');
    expect(rows.broadcastOf(row(daily(105, { air_date: '2023-04-15' })))).toBe('15 Apr 2023');
    expect(rows.broadcastOf(row(episode(3, { air_date: '2025-03-06' })))).toBe('6 Mar 2025');
  });
});

describe('the progress of an episode', () => {
  const known = (local: Progress | null) => () => local;
  it('is the newer one of this device and the server', () => {
    const given = row(episode(1, { progress: place(1, 3) as Episode['progress'] }), file(1));
    expect(rows.placeOf(given, known(place(1, 5, true)))?.finished).toBe(true);
    expect(rows.placeOf(given, known(place(1, 1, true)))?.finished).toBe(false);
    expect(rows.placeOf(given, known(null))?.position).toBe(10);
    expect(rows.placeOf(row(episode(1), file(1)), known(null))).toBeNull();
  });
  it('is that of another version that is finished', () => {
    const given = row(episode(1, { progress: place(12, 1, true) as Episode['progress'] }), file(1));
    expect(rows.placeOf(given, known(place(1, 5)))?.finished).toBe(true);
  });
});

describe('the texts of an episode', () => {
  it('name season, number and title', () => {
    expect(rows.nameOf(row(episode(3, { title: 'Slack Tide' })))).toBe('S2 E3, Slack Tide');
    expect(rows.nameOf(row(episode(3)))).toBe('S2 E3');
    expect(rows.nameOf(row(episode(3, { last_episode: 4 })))).toBe('S2 E3–4');
    expect(rows.nameOf(row(episode(1, { season: 0, title: 'Pilot' })))).toBe('Special 1, Pilot');
    const unnumbered = file(99, { episode: null, name: 'Making Of.mkv' });
    expect(rows.nameOf(row(episode(null), unnumbered))).toBe('Making Of');
    expect(rows.nameOf(row(episode(null)))).toBe('Season 2');
  });
  it('name a gap of one or several numbers', () => {
    expect(rows.gapName({ season: 2, from: 4, to: 4 })).toBe('S2 E4');
    expect(rows.gapName({ season: 2, from: 4, to: 6 })).toBe('S2 E4–S2 E6');
  });
  it('count the watched episodes of a season', () => {
    const season = { season: 2, poster: null, episodes: 8, finished: 2, duration: null };
    expect(rows.seasonCount(season)).toBe('2 of 8');
    expect(rows.seasonCount({ ...season, season: 0, finished: 0 })).toBe('8');
  });
  it('show a date in no time zone, and none for an invalid one', () => {
    expect(rows.airDate('2025-03-06')).toBe('6 Mar 2025');
    expect(rows.airDate('soon')).toBe('');
    expect(rows.airDate(null)).toBe('');
  });
});
