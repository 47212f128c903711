/** What to go on with in an item, and how to name a place. */
import type { Item, MediaFile, Progress, Unit } from '../api/types';
import { t } from '../i18n';
import { clock, span } from '../lib/format';
import { sequenceOf } from '../media/queue';

export interface UpNext {
  state: 'fresh' | 'started' | 'finished';
  file: MediaFile;
  /** Null where the file is to be begun. */
  place: Progress | null;
}

/** The newest place's file, or the next unfinished part after it; the same rule as the server's Continue shelf. */
export function upNext(item: Item, placeOf: (file: MediaFile) => Progress | null): UpNext | null {
  const present = item.files.filter((file) => !file.missing);
  const first = firstOf(item);
  if (!first) return null;
  const newest = newestOf(present, placeOf);
  if (!newest) return { state: 'fresh', file: first, place: null };
  const { file, place } = newest;
  if (!place.finished) return { state: 'started', file, place };
  if (sequenceOf(file) === null) return { state: 'finished', file, place };
  const parts = regularParts(present);
  // From a special, which is none of them, the first open part is next.
  const next = parts.slice(parts.indexOf(file) + 1).find((part) => !placeOf(part)?.finished);
  return next
    ? { state: 'started', file: next, place: null }
    : { state: 'finished', file: parts[0] ?? file, place };
}

/** The file with which an item begins: specials never come first. */
export function firstOf(item: Pick<Item, 'files'>): MediaFile | undefined {
  const present = item.files.filter((file) => !file.missing);
  return present.find((file) => file.season !== 0) ?? present[0];
}

/** The parts that make up an item: specials only where there are no others. */
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

/** The files whose mark decides whether the whole is finished: its last part, or each alternative. */
export function deciding(item: Item): MediaFile[] {
  const present = item.files.filter((file) => !file.missing);
  const parts = regularParts(present);
  return parts.length > 0 ? parts.slice(-1) : present;
}

/** `12:40`, `page 12`, `section 4 of 12`, `2 h played`; empty where a position means nothing to people. */
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

/** What is left of a thing on a shelf, where only its newest place is known. */
export function leftText(place: Progress | null, whole: number | null, unit: Unit): string {
  if (place === null) return t('place.next');
  if (place.finished) return t('place.finished');
  // Of several parts, what is left of one says nothing about the rest.
  const single = whole === null || place.fraction === null || Math.abs(whole - place.fraction) < 0.001;
  if (unit === 'second' && place.extent !== null && single)
    return t('place.left', { span: span(place.extent - place.position) });
  if (whole !== null) return percent(whole);
  return placeText(place, unit);
}
