/** Formats the facts of a kind as lines. The server defines their names. */
import { format } from '../i18n/locale';
import { t, translate } from '../i18n';
import '../i18n/details';
import { bytes, count, languageName } from '../i18n/format';
import { codecName } from './codecs';

export interface FactLine {
  name: string;
  label: string;
  text: string;
}

/** Facts that another fact includes. */
const better: Readonly<Record<string, string>> = { platform: 'platform_name' };

/** Technical facts, and facts that are shown elsewhere. */
const unread = new Set([
  'musicbrainz_release',
  'musicbrainz_release_group',
  'musicbrainz_artist',
  'musicbrainz_recording',
  'album_peak',
  'track_peak',
  'playable',
  'form',
]);

export function factLines(facts: Record<string, unknown>): FactLine[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const by = Object.hasOwn(better, name) ? better[name] : undefined;
    if (unread.has(name) || (by !== undefined && facts[by] != null)) return [];
    const text = factText(name, value);
    return text === null ? [] : [{ name, label: factLabel(name), text }];
  });
}

const acronyms = new Set([
  ...['isbn', 'asin', 'drm', 'crc', 'md5', 'sha1', 'id', 'url', 'dsi', 'chr', 'prg', 'rom', 'ram', 'tv'],
]);
const labels: Readonly<Record<string, string>> = {
  album_gain: 'Loudness correction',
  bitrate: 'Bit rate',
  bits_per_sample: 'Sample depth',
  platform_name: 'Platform',
  track_gain: 'Loudness correction',
};

/** `series_index` → `Series index`, `isbn` → `ISBN`. */
export function factLabel(name: string): string {
  const own = Object.hasOwn(labels, name) ? labels[name] : undefined;
  if (own !== undefined) return translate(own);
  const parts = name.split('_').map((part) => (acronyms.has(part) ? part.toUpperCase() : part));
  const text = parts.join(' ');
  return translate(text.charAt(0).toUpperCase() + text.slice(1));
}

function factText(name: string, value: unknown): string | null {
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number') return measured(name, value);
  if (typeof value === 'string' && value.trim() !== '') return spelled(name, value);
  if (Array.isArray(value)) {
    const parts = value.map((part) => factText(name, part)).filter((part) => part !== null);
    if (parts.length === 0) return null;
    return parts.join(parts.some((part) => part.includes(',')) ? '; ' : ', ');
  }
  return null;
}

const signed = () => format(Intl.NumberFormat, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });

function measured(name: string, value: number): string | null {
  switch (name) {
    case 'bitrate':
      return `${count(Math.round(value / 1000))} kbit/s`;
    case 'sample_rate':
      return `${String(value / 1000)} kHz`;
    case 'bits_per_sample':
    case 'bit_depth':
      return `${value} bit`;
    case 'channels':
    case 'audio_channels':
      return channels(value);
    case 'album_gain':
    case 'track_gain':
      return `${signed().format(value).replace('-', '−')} dB`;
  }
  // A missing chip has no size.
  if (name.endsWith('_size')) return value > 0 ? bytes(value) : null;
  return String(value);
}

function channels(number: number): string {
  const names: Readonly<Record<number, string>> = {
    1: t('fact.mono'),
    2: t('fact.stereo'),
    6: '5.1',
    8: '7.1',
  };
  return names[number] ?? String(number);
}

function spelled(name: string, value: string): string {
  switch (name) {
    case 'language':
    case 'languages':
      return languageName(value);
    case 'date':
      return /^(\d{4}-\d{2}-\d{2})T/.exec(value)?.[1] ?? value; // the time of day is not informative
    case 'direction':
      return value === 'rtl' ? t('item.rtl') : value;
    case 'subjects':
      return value.replaceAll(' -- ', ' – ');
    case 'codec':
      return codecName(value);
    default:
      return value;
  }
}
