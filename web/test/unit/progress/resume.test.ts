import { describe, expect, it } from 'vitest';
import type { Item, MediaFile, Progress } from '../../../src/api/models';
import { obstacleText, isUnplayable } from '../../../src/catalogue/playability';
import { deciding, leftText, placeText, upNext } from '../../../src/progress/resume';

function file(id: number, more: Partial<MediaFile> = {}): MediaFile {
  return { id, missing: false, part: null, episode: null, ...more } as MediaFile;
}
const item = (files: MediaFile[]) => ({ files }) as Item;
const parts = [1, 2, 3].map((n) => file(n, { part: n }));

function place(file_id: number, minute: number, finished = false, position = 10): Progress {
  const updated_at = `2026-11-21T12:${String(minute).padStart(2, '0')}:00.000000Z`;
  return { file_id, position, extent: 100, fraction: position / 100, finished, updated_at };
}
const with_ = (rows: Progress[]) => (one: MediaFile) => rows.find((row) => row.file_id === one.id) ?? null;

describe('upNext', () => {
  it('is the first file of an unopened item', () => {
    expect(upNext(item(parts), () => null)).toMatchObject({ state: 'fresh', file: { id: 1 } });
  });
  it('is the file that was opened last', () => {
    const next = upNext(item(parts), with_([place(1, 1), place(3, 5), place(2, 3)]));
    expect(next).toMatchObject({ state: 'started', file: { id: 3 }, place: { position: 10 } });
  });
  it('is the next unfinished part after a finished one', () => {
    const next = upNext(item(parts), with_([place(1, 5, true), place(2, 3, true)]));
    expect(next).toMatchObject({ state: 'started', file: { id: 3 }, place: null });
  });
  it('is the first part again after the last', () => {
    const next = upNext(item(parts), with_([place(3, 5, true)]));
    expect(next).toMatchObject({ state: 'finished', file: { id: 1 } });
  });
  it('skips missing files', () => {
    const gone = [file(1, { part: 1, missing: true }), ...parts.slice(1)];
    expect(upNext(item(gone), () => null)).toMatchObject({ file: { id: 2 } });
    expect(upNext(item([file(1, { missing: true })]), () => null)).toBeNull();
  });
  it('excludes specials from first, next and last', () => {
    const show = [
      file(9, { part: 1, season: 0, episode: 1 }),
      file(1, { part: 2, season: 1, episode: 1 }),
      file(2, { part: 3, season: 1, episode: 2 }),
      file(8, { part: 4, season: 0, episode: 2 }),
    ];
    expect(upNext(item(show), () => null)).toMatchObject({ state: 'fresh', file: { id: 1 } });
    const special = upNext(item(show), with_([place(8, 5, true), place(1, 1, true)]));
    expect(special).toMatchObject({ state: 'started', file: { id: 2 } });
    const ended = upNext(item(show), with_([place(1, 4, true), place(2, 5, true)]));
    expect(ended).toMatchObject({ state: 'finished', file: { id: 1 } });
    expect(deciding(item(show)).map(({ id }) => id)).toEqual([2]);
  });
  it('is the next unfinished regular episode, with its position, and a skipped one after the last', () => {
    const show = [1, 2, 3].map((n) => file(n, { part: n, season: 1, episode: n }));
    const extra = file(9, { part: 4, season: 0, episode: 1 });
    const all = item([...show, extra]);
    const begun = upNext(all, with_([place(1, 5, true), place(2, 3)]));
    expect(begun).toMatchObject({ state: 'started', file: { id: 2 }, place: { position: 10 } });
    const special = upNext(all, with_([place(1, 5, true), place(9, 8)]));
    expect(special).toMatchObject({ state: 'started', file: { id: 2 }, place: null });
    const skipped = upNext(all, with_([place(1, 1, true), place(3, 5, true)]));
    expect(skipped).toMatchObject({ state: 'started', file: { id: 2 } });
    const ended = upNext(all, with_([place(1, 1, true), place(2, 2, true), place(3, 5, true)]));
    expect(ended).toMatchObject({ state: 'finished', file: { id: 1 } });
    expect(upNext(all, with_([place(9, 5, true)]))).toMatchObject({ state: 'fresh', file: { id: 1 } });
  });
  it('skips the other versions of a finished episode', () => {
    const versions = [
      file(1, { part: 1, season: 2, episode: 4 }),
      file(2, { part: 2, season: 2, episode: 4 }),
      file(3, { part: 3, season: 2, episode: 5 }),
      file(4, { part: 4, season: 2, episode: 5 }),
    ];
    const all = item(versions);
    for (const id of [1, 2])
      expect(upNext(all, with_([place(id, 5, true)]))).toMatchObject({ state: 'started', file: { id: 3 } });
    // The started version continues.
    const begun = upNext(all, with_([place(4, 3), place(1, 5, true)]));
    expect(begun).toMatchObject({ state: 'started', file: { id: 4 }, place: { position: 10 } });
    const ended = upNext(all, with_([place(2, 3, true), place(3, 5, true)]));
    expect(ended).toMatchObject({ state: 'finished', file: { id: 1 } });
    const gone = [file(1, { part: 1, season: 2, episode: 4, missing: true }), ...versions.slice(1)];
    expect(upNext(item(gone), with_([place(1, 3, true), place(3, 5, true)]))?.state).toBe('finished');
  });
  it('does not take another format for the next part', () => {
    const formats = [file(1), file(2)];
    expect(upNext(item(formats), with_([place(1, 5, true)]))).toMatchObject({
      state: 'finished',
      file: { id: 1 },
    });
  });
});

describe('deciding', () => {
  it('is the last present part, or every alternative', () => {
    expect(deciding(item([...parts, file(4, { part: 4, missing: true })])).map((one) => one.id)).toEqual([3]);
    expect(deciding(item([file(1), file(2)])).map((one) => one.id)).toEqual([1, 2]);
  });
});

describe('placeText', () => {
  it.each([
    [{ position: 760, extent: 5400 }, 'second', '12:40'],
    [{ position: 7200, extent: null }, 'second', '2 h played'],
    [{ position: 11, extent: null }, 'page', 'page 12'],
    [{ position: 11, extent: 300 }, 'page', 'page 12 of 300'],
    [{ position: 85, extent: 135 }, 'section', 'section 86 of 135'],
    [{ position: 3, extent: null }, 'none', ''],
  ] as const)('%o in %s is %s', (given, unit, text) => expect(placeText(given, unit)).toBe(text));
});

describe('leftText', () => {
  it('returns the remaining time of one file, and the share of several parts', () => {
    expect(leftText({ ...place(1, 1), position: 1080, extent: 5400, fraction: 0.2 }, 0.2, 'second')).toBe(
      '1 h 12 min left',
    );
    expect(leftText(place(1, 1), 0.43, 'second')).toBe('43 %');
    expect(leftText(place(1, 1), 0.1, 'page')).toBe('10 %');
    expect(leftText(null, 0.5, 'second')).toBe('Up next');
    expect(leftText(place(1, 1, true), 1, 'second')).toBe('Finished');
  });
});

describe('the reason of unplayability', () => {
  it('is shown for codecs and containers, not for unprobed files', () => {
    expect(obstacleText('vcodec:hevc')).toBe('it lacks HEVC (H.265)');
    expect(obstacleText('container:avi')).toBe('it does not open AVI files');
    expect(isUnplayable({ plays: false, plays_reason: 'acodec:ac3' })).toBe(true);
    expect(isUnplayable({ plays: false, plays_reason: 'unprobed' })).toBe(false);
    expect(isUnplayable({ plays: true, plays_reason: null })).toBe(false);
    expect(isUnplayable({})).toBe(false);
  });
});
