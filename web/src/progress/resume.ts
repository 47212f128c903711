/** The file and position to continue with, and their display text. */
import type { Item, MediaFile, Progress, Unit } from '../api/models';
import { t } from '../i18n';
import { clock, span } from '../i18n/format';
import { sequenceOf, versionKey } from '../catalogue/file-order';

export interface UpNext {
  state: 'fresh' | 'started' | 'finished';
  file: MediaFile;
  /** Null if the file has not been started. */
  place: Progress | null;
}

/**
 * Returns the file of the latest position, or the next unfinished part; the same rule as the server's Continue shelf.
 * Among seasons, only regular episodes count, and skipped ones follow the last. An episode is finished if one of its
 * versions is.
 */
export function upNext(item: Item, placeOf: (file: MediaFile) => Progress | null): UpNext | null {
  const present = item.files.filter((file) => !file.missing);
  const first = firstOf(item);
  if (!first) return null;
  const parts = regularParts(present);
  const isSeasonal = parts.some(({ season }) => season != null);
  const newest = newestOf(isSeasonal ? parts : present, placeOf);
  if (!newest) return { state: 'fresh', file: first, place: null };
  const { file, place } = newest;
  if (!place.finished) return { state: 'started', file, place };
  if (sequenceOf(file) === null) return { state: 'finished', file, place };
  const finished = new Set(item.files.filter((one) => placeOf(one)?.finished).map(versionKey));
  const isOpen = (part: MediaFile) => !finished.has(versionKey(part));
  // After a special, the first unfinished part is next.
  const open = parts.slice(parts.indexOf(file) + 1).find(isOpen) ?? (isSeasonal ? parts.find(isOpen) : null);
  if (!open) return { state: 'finished', file: parts[0] ?? file, place };
  const isVersion = (part: MediaFile) => versionKey(part) === versionKey(open);
  const next = parts.find((part) => isVersion(part) && placeOf(part)) ?? open;
  return { state: 'started', file: next, place: placeOf(next) };
}

/** Returns the first file of an item: specials never come first. */
export function firstOf(item: Pick<Item, 'files'>): MediaFile | undefined {
  const present = item.files.filter((file) => !file.missing);
  return present.find((file) => file.season !== 0) ?? present[0];
}

/** Returns the parts of an item: specials only if there are no others. */
function regularParts(files: readonly MediaFile[]): MediaFile[] {
  const parts = files.filter((file) => sequenceOf(file) !== null);
  const regular = parts.filter((file) => file.season !== 0);
  return regular.length > 0 ? regular : parts;
}

function newestOf(
  files: MediaFile[],
  placeOf: (file: MediaFile) => Progress | null,
): { file: MediaFile; place: Progress } | null {
  let best: { file: MediaFile; place: Progress } | null = null;
  for (const file of files) {
    const place = placeOf(file);
    if (place && (best === null || place.updated_at > best.place.updated_at)) best = { file, place };
  }
  return best;
}

/** Returns the files that decide if the item is finished: its last part, or each alternative. */
export function deciding(item: Item): MediaFile[] {
  const present = item.files.filter((file) => !file.missing);
  const parts = regularParts(present);
  return parts.length > 0 ? parts.slice(-1) : present;
}

/** `12:40`, `page 12`, `section 4 of 12`, `2 h played`; empty for positions that users cannot interpret. */
export function placeText(place: Pick<Progress, 'position' | 'extent'>, unit: Unit): string {
  const n = place.position + 1;
  switch (unit) {
    case 'second':
      return place.extent === null ? t('place.spent', { span: span(place.position) }) : clock(place.position);
    case 'page':
      return place.extent === null ? t('place.page', { n }) : t('place.pageOf', { n, of: place.extent });
    case 'section':
      return place.extent === null
        ? t('place.section', { n })
        : t('place.sectionOf', { n, of: place.extent });
    case 'none':
      return '';
  }
}

export function percent(fraction: number): string {
  return t('place.percent', { n: Math.min(100, Math.max(0, Math.floor(fraction * 100))) });
}

/** Formats the rest of an item on a shelf, where only its latest position is known. */
export function leftText(place: Progress | null, whole: number | null, unit: Unit): string {
  if (place === null) return t('place.next');
  if (place.finished) return t('place.finished');
  // With several parts, the rest of one is not the rest of the item.
  const single = whole === null || place.fraction === null || Math.abs(whole - place.fraction) < 0.001;
  if (unit === 'second' && place.extent !== null && single)
    return t('place.left', { span: span(place.extent - place.position) });
  if (whole !== null) return percent(whole);
  return placeText(place, unit);
}
