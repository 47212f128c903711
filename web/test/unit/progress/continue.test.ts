import { describe, expect, it } from 'vitest';
import type { ContinueFile, MediaFile, Progress } from '../../../src/api/models';
import { groupsOf } from '../../../src/catalogue/file-groups';
import { continueText } from '../../../src/progress/continue-text';
import { describeFile } from '../../../src/progress/continue-file';

const film: ContinueFile = {
  ...{ name: 'a', unit: 'second', season: null, episode: null, part: null, parts: null },
  ...{ chapter: null, left: 720, item_left: 720 },
};
const place = { position: 11, extent: 300, fraction: 0.4, finished: false } as Progress;
const chapter = { number: 4, count: 12, title: '' };

describe('continueText', () => {
  it.each([
    ['a film by what is left', film, 'part', '12 min left'],
    ['an episode', { ...film, season: 2, episode: 3 }, 'episode', 'S2 E3 · 12 min left'],
    ['a season of a year', { ...film, season: 2023, episode: 105 }, 'episode', 'S2023 E105 · 12 min left'],
    [
      'an episode by its date',
      { ...film, name: 'News 2023-01-05.mkv', season: 2023, episode: 105 },
      'episode',
      '5 Jan 2023 · 12 min left',
    ],
    ['a special', { ...film, season: 0, episode: 1 }, 'episode', 'Special 1 · 12 min left'],
    ['a season without numbers', { ...film, season: 2 }, 'episode', 'Season 2 · 12 min left'],
    [
      'an audiobook by its chapter and all that is left',
      { ...film, part: 4, parts: 12, chapter, item_left: 7800 },
      'chapter',
      'Chapter 4 · 2 h 10 min left',
    ],
    ['an album by its track', { ...film, part: 7, parts: 32, item_left: 900 }, 'track', 'Track 7 of 32'],
    ['a book of pages', { ...film, unit: 'page' }, 'part', 'Page 12 of 300'],
    ['a book without chapters by the share', { ...film, unit: 'section' }, 'part', '40 %'],
    ['a book by its chapter', { ...film, unit: 'section', chapter }, 'part', 'Chapter 4 · 40 %'],
    [
      'a titled chapter',
      { ...film, unit: 'section', chapter: { ...chapter, title: 'The Tail' } },
      'part',
      'The Tail · 40 %',
    ],
  ] as const)('names %s', (_, file, part, text) => {
    expect(continueText(file, place, 0.4, part)).toBe(text);
  });

  it('names the next part after a finished one', () => {
    expect(continueText({ ...film, season: 2, episode: 4 }, null, 0.5, 'episode')).toBe('Up next: S2 E4');
    expect(continueText(film, null, null, 'part')).toBe('Up next');
    const next = { ...film, part: 2, parts: 3, chapter: { ...chapter, number: 2 }, item_left: 3600 };
    expect(continueText(next, null, 0.3, 'chapter')).toBe('Chapter 2 · 1 h left');
  });
});

const files = (list: Partial<MediaFile>[]) =>
  list.map((one, at) => ({
    ...{ id: at, missing: false, unit: 'second', extent: 100, part: at + 1, chapters: [], title: null },
    ...{ season: null, episode: null, name: `${at}.mp3`, path: `${at}.mp3` },
    ...one,
  })) as MediaFile[];

describe('describeFile', () => {
  it('counts chapters and the remaining time over all parts', () => {
    const chapters = [0, 40].map((start) => ({ title: `at ${start}`, start }));
    const parts = files([{ chapters }, {}, {}]);
    const [first, second] = parts as [MediaFile, MediaFile];
    expect(describeFile({ files: parts }, first, { position: 40 })).toMatchObject({
      part: 1,
      parts: 3,
      chapter: { number: 2, count: 4, title: 'at 40' },
      item_left: 260,
    });
    expect(describeFile({ files: parts }, second, null)).toMatchObject({
      chapter: { number: 3, count: 4, title: '' },
    });
  });
  it('treats an episode separately', () => {
    const show = files([
      { season: 1, episode: 1 },
      { season: 1, episode: 2 },
    ]);
    expect(describeFile({ files: show }, show[0] as MediaFile, { position: 30 })).toMatchObject({
      ...{ season: 1, episode: 1, part: null, parts: null, left: 70, item_left: null },
    });
  });
});

describe('the files of a series', () => {
  it('are listed by season with their own numbers, specials last', () => {
    const show = files([
      { season: 0, episode: 1 },
      { season: 1, episode: 1 },
      { season: 1, episode: 2 },
      { season: 2, episode: 1 },
    ]);
    const groups = groupsOf({ files: show, facts: {} });
    expect(groups.map((group) => [group.name, group.files.map(({ number }) => number)])).toEqual([
      ['Season 1', [1, 2]],
      ['Season 2', [1]],
      ['Specials', [1]],
    ]);
  });
});
