/** Details from a provider as lines, without those that the facts of the files contain. */
import type { Details, Item, MediaType } from '../../api/models';
import type { FactLine } from '../../catalogue/fact-lines';
import { t } from '../../i18n';
import { span } from '../../i18n/format';
import '../../i18n/metadata';
import { format } from '../../i18n/locale';
import { countryName } from './certificate';

export interface Line {
  label: string;
  text: string;
}

/** Returns the lines of an item's details. `facts` contains the lines of its files. */
export function providerLines(
  { title, year, details }: Pick<Item, 'title' | 'year' | 'details'>,
  { shape }: Pick<MediaType, 'shape'>,
  isShow: boolean,
  facts: readonly FactLine[],
): Line[] {
  if (details === null) return [];
  const known = new Set(facts.flatMap(({ text }) => [text, ...text.split(/[,;] /)]).map(plain));
  const unknown = (texts: readonly string[]) => texts.filter((text) => !known.has(plain(text)));
  const studios = unknown(details.studios).join(', ');
  const original = details.original_title ?? '';
  const lines: Line[] = [
    { label: t('metadata.original'), text: original === title ? '' : (unknown([original])[0] ?? '') },
    { label: t('metadata.released'), text: releasedText(details, year, facts) },
    { label: studioLabel(shape, isShow), text: studios },
    {
      label: t('metadata.countries', { count: details.countries.length }),
      text: details.countries.map(countryName).join(', '),
    },
    { label: t('metadata.collection'), text: unknown([details.collection ?? '']).join() },
    {
      label: t('metadata.episodeLength'),
      text: isShow && details.runtime !== null ? span(details.runtime * 60) : '',
    },
  ];
  return lines.filter(({ text }) => text !== '');
}

/** Returns the facts of an item's files without those that its page shows from the details or as genres. */
export function factsShownNowhereElse(
  facts: readonly FactLine[],
  { details, genres }: Pick<Item, 'details' | 'genres'>,
): FactLine[] {
  const shown: Record<string, boolean> = {
    certification: Boolean(details?.certificates.length),
    countries: Boolean(details?.countries.length),
    genres: genres.length > 0,
    original_title: Boolean(details?.original_title),
    studios: Boolean(details?.studios.length),
    tagline: Boolean(details?.tagline),
  };
  return facts.filter(({ name }) => !shown[name]);
}

const plain = (text: string) => text.trim().toLowerCase();

function studioLabel(shape: string, isShow: boolean): string {
  if (isShow) return t('metadata.network');
  return shape === 'case' ? t('metadata.studio') : t('metadata.publisher');
}

/** Returns no text for a date that the year of the item or a fact contains. */
function releasedText(
  { released }: Pick<Details, 'released'>,
  year: number | null,
  facts: readonly FactLine[],
): string {
  if (released === null || released === String(year)) return '';
  const isKnown = facts.some(({ name, text }) => name === 'date' && text.startsWith(released));
  return isKnown ? '' : partialDate(released);
}

/** `2001-05-03` → `3 May 2001`, `2001-05` → `May 2001`; a date has no time zone. Returns other texts unchanged. */
export function partialDate(date: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})(?:-(\d{2}))?$/.exec(date) ?? [];
  if (year === undefined || month === undefined) return date;
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day ?? 1));
  return format(Intl.DateTimeFormat, {
    ...(day === undefined ? {} : { day: 'numeric' as const }),
    ...{ month: 'long', year: 'numeric', timeZone: 'UTC' },
  }).format(new Date(time));
}
