import { expect, it } from 'vitest';
import type { Item, MediaFile } from '../../../src/api/models';
import { groupsOf } from '../../../src/catalogue/file-groups';

function file(path: string, more: Partial<MediaFile>): MediaFile {
  const name = path.split('/').at(-1) ?? '';
  return { path, name, part: 1, season: null, episode: null, ...more } as MediaFile;
}

function names(files: MediaFile[]): string[] {
  return groupsOf({ files, facts: {} as Item['facts'] }).map((group) => group.name);
}

it('episodes in numbered folders are grouped by season, specials last', () => {
  const files = [
    file('Show/Season 0/Extra.mkv', { season: 0, episode: 1 }),
    file('Show/Season 1/One.mkv', { season: 1, episode: 1 }),
    file('Show/Season 2/Two.mkv', { season: 2, episode: 1, part: 2 }),
  ];
  expect(names(files)).toEqual(['Season 1', 'Season 2', 'Specials']);
});

it('a season that is a year has no separator', () => {
  expect(names([file('Show/2023-01-05.mkv', { season: 2023, episode: 105 })])).toEqual(['Season 2023']);
});

it('tracks in numbered folders are grouped by disc', () => {
  const files = [file('Album/CD 1/01.flac', {}), file('Album/CD 2/01.flac', { part: 2 })];
  expect(names(files)).toEqual(['Disc 1', 'Disc 2']);
});
