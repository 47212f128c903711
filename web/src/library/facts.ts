/** A kind's facts as lines to read. Their names are the server's; only their spelling is ours. */
import { t } from '../i18n';
import '../i18n/item';
import { bytes } from '../lib/format';

export interface FactLine {
  name: string;
  label: string;
  text: string;
}

export function factLines(facts: Record<string, unknown>): FactLine[] {
  return Object.entries(facts).flatMap(([name, value]) => {
    const text = factText(name, value);
    return text === null ? [] : [{ name, label: factLabel(name), text }];
  });
}

const acronyms = new Set(['isbn', 'asin', 'drm', 'crc', 'md5', 'sha1', 'id', 'url', 'dsi']);

/** `series_index` → `Series index`, `isbn` → `ISBN`. */
export function factLabel(name: string): string {
  if (acronyms.has(name)) return name.toUpperCase();
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function factText(name: string, value: unknown): string | null {
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (typeof value === 'number') return name.endsWith('_size') ? bytes(value) : String(value);
  if (typeof value === 'string' && value.trim() !== '') return spelled(name, value);
  if (Array.isArray(value)) {
    const parts = value.map((part) => factText(name, part)).filter((part) => part !== null);
    return parts.length > 0 ? parts.join(', ') : null;
  }
  return null;
}

function spelled(name: string, value: string): string {
  switch (name) {
    case 'language':
    case 'languages':
      return language(value);
    case 'date':
      return /^(\d{4}-\d{2}-\d{2})T/.exec(value)?.[1] ?? value; // the time of day says nothing
    case 'direction':
      return value === 'rtl' ? t('item.rtl') : value;
    default:
      return value;
  }
}

function language(code: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;
  } catch {
    return code; // not a language tag: as the file has it
  }
}
