/** The files of an item under headings: seasons of a series, discs of an album. */
import type { Item, MediaFile } from '../api/models';
import { t } from '../i18n';
import '../i18n/details';
import { sequenceOf } from './file-order';

export interface Group {
  /** Empty if a heading would add nothing. */
  name: string;
  /** Null without a season; 0 for specials. */
  season: number | null;
  files: { file: MediaFile; number: number | null }[];
}

export function groupsOf(item: Pick<Item, 'files' | 'facts'>): Group[] {
  const discs = discsOf(item);
  const groups: (Group & { key: string })[] = [];
  for (const [at, file] of item.files.entries()) {
    const disc = discs?.[at];
    const key = disc === undefined ? String(file.season) : `disc ${disc}`;
    if (groups.at(-1)?.key !== key)
      groups.push({
        key,
        name: disc === undefined ? season(file) : t('item.disc', { n: disc }),
        season: disc === undefined ? file.season : null,
        files: [],
      });
    const group = groups.at(-1);
    // Each disc numbers its tracks from 1.
    group?.files.push({ file, number: disc === undefined ? numberOf(file) : group.files.length + 1 });
  }
  return groups.sort((a, b) => Number(a.season === 0) - Number(b.season === 0));
}

/** An episode is numbered within its season. */
function numberOf(file: MediaFile): number | null {
  return file.season == null && file.episode == null ? sequenceOf(file) : file.episode;
}

function season(file: MediaFile): string {
  if (file.season === null) return '';
  return file.season === 0 ? t('item.specials') : t('item.season', { n: String(file.season) });
}

/** Returns the disc of each file, from its folder or the first number of its name; null without several discs. */
function discsOf({ files, facts }: Pick<Item, 'files' | 'facts'>): number[] | null {
  // Exclude other numbered folders, such as "Season 2".
  if (files.some((file) => file.part === null || file.season !== null)) return null;
  const ways = [inFolder, ...(Number(facts.discs) > 1 ? [inName] : [])];
  for (const way of ways) {
    const found = files.map(way);
    const discs = found.filter((disc) => disc !== null);
    if (discs.length === files.length && new Set(discs).size > 1) return discs;
  }
  return null;
}

const DISC = /(?:cd|dis[ck]\w*|dvd|lp|side|tape)\W*(\d+)/i;
const ONLY_NUMBER = /^\D*(\d+)\D*$/;

/** `Album/CD 2/01 Song.flac` */
function inFolder({ path }: MediaFile): number | null {
  const folder = path.split('/').at(-2) ?? '';
  const number = (DISC.exec(folder) ?? ONLY_NUMBER.exec(folder))?.[1];
  return number === undefined ? null : Number(number);
}

/** `2-01 Song.flac`, `201 Song.flac` */
function inName({ name }: MediaFile): number | null {
  const number = /^(\d)(?:[-. ]?\d\d)\D/.exec(name)?.[1];
  return number === undefined ? null : Number(number);
}
