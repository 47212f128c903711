/** The files of an item under headings: seasons of a series, discs of an album. */
import type { Item, MediaFile } from '../api/types';
import { t } from '../i18n';
import '../i18n/item';
import { sequenceOf } from '../media/queue';

export interface Group {
  /** Empty where a heading would say nothing. */
  name: string;
  /** Null where it is none; 0 are specials. */
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
    // Each disc counts its tracks anew.
    group?.files.push({ file, number: disc === undefined ? numberOf(file) : group.files.length + 1 });
  }
  return groups.sort((a, b) => Number(a.season === 0) - Number(b.season === 0));
}

/** An episode counts within its season. */
function numberOf(file: MediaFile): number | null {
  return file.season == null && file.episode == null ? sequenceOf(file) : file.episode;
}

function season(file: MediaFile): string {
  if (file.season === null) return '';
  return file.season === 0 ? t('item.specials') : t('item.season', { n: file.season });
}

/** The disc of each file, told by its folder or by the first number of its name; null where they are not several. */
function discsOf({ files, facts }: Pick<Item, 'files' | 'facts'>): number[] | null {
  // A folder named "Season 2" has a number, too.
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
