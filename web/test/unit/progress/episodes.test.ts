import { afterEach, describe, expect, it } from 'vitest';
import type { MediaFile } from '../../../src/api/models';
import { addTranslations } from '../../../src/i18n';
import { setLocale } from '../../../src/i18n/locale';
import { de } from '../../../src/i18n/texts/de';
import { episodeDate, episodeText } from '../../../src/progress/episode-text';
import { codeOf, episodeCount, partName } from '../../../src/progress/episodes';

const file = (season: number | null, episode: number | null, more: Partial<MediaFile> = {}) =>
  ({ season, episode, last_episode: null, title: null, name: 'show.name.mkv', ...more }) as MediaFile;

afterEach(() => setLocale('en'));

describe('an episode that is numbered by date', () => {
  it.each([
    [2023, 105, 'News - 2023-01-05 - Fog.mkv', '2023-01-05'],
    [2024, 229, 'News.2024.02.29.mkv', '2024-02-29'],
    [1999, 1231, 'News 19991231.mkv', '1999-12-31'],
  ])('%i and %i of %s are %s', (season, episode, name, date) => {
    expect(episodeDate(season, episode, name)?.toISOString().slice(0, 10)).toBe(date);
  });
  it.each([
    [2023, 105, 'News S2023E105.mkv'],
    [2023, 105, undefined],
    [2023, 229, 'News 2023-02-29.mkv'],
    [2023, 100, 'News 2023-01-00.mkv'],
    [2023, 1301, 'News 2023-13-01.mkv'],
    [2023, null, 'News 2023-01-05.mkv'],
    [12, 105, 'News 2012-01-05.mkv'],
    [null, 105, 'News 2023-01-05.mkv'],
  ])('%s and %s of %s are no date', (season, episode, name) =>
    expect(episodeDate(season, episode, name)).toBeNull(),
  );

  it('is named by the date in the language of the user', () => {
    const dated = file(2023, 105, { name: 'News 2023-01-05.mkv' });
    expect(codeOf(dated, 'short')).toBe('5 Jan 2023');
    expect(codeOf(dated)).toBe('5 January 2023');
    expect(codeOf({ ...dated, last_episode: 106 })).toBe('5 January 2023');
    setLocale('de');
    expect(codeOf(dated)).toBe('5. Januar 2023');
  });
  it('has numbers without separators if it has no date', () => {
    expect(episodeText(2023, 105)).toBe('S2023 E105');
    expect(codeOf(file(2023, 1399))).toBe('S2023 E1399');
    expect(codeOf(file(1, 1105))).toBe('S1 E1105');
    expect(episodeText(null, 1105)).toBe('episode 1105');
    expect(episodeText(2023, null)).toBe('season 2023');
    addTranslations(de);
    setLocale('de');
    expect(episodeText(2023, null)).toBe('Staffel 2023');
  });
});

describe('the name of a file in the player', () => {
  it('contains the numbers and the title of an episode, but never its file name', () => {
    expect(partName(file(2, 4))).toBe('S2 E4');
    expect(partName(file(2, 4, { title: 'Low Water' }))).toBe('S2 E4 · Low Water');
    expect(partName(file(2, 4, { last_episode: 5 }))).toBe('S2 E4–5');
    expect(partName(file(0, 1, { title: 'Pilot' }))).toBe('Special 1 · Pilot');
    expect(partName(file(2023, 105))).toBe('S2023 E105');
    expect(partName(file(2023, 105, { name: 'News 2023-01-05.mkv' }))).toBe('5 January 2023');
  });
  it('is the title of another file, otherwise its name', () => {
    expect(partName(file(null, null))).toBe('show.name');
    expect(partName(file(2, null, { title: 'Making Of' }))).toBe('Making Of');
  });
});

describe('the number of episodes', () => {
  it('counts versions once, each episode of a file of several, and each file without a number', () => {
    const files = [
      file(2, 4),
      file(2, 4),
      file(2, 5, { last_episode: 7 }),
      file(2, 6),
      file(1, 4),
      file(1, null),
      file(1, null),
    ];
    expect(episodeCount(files)).toBe(7);
    expect(episodeCount([])).toBe(0);
  });
});
