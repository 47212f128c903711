import '../../../src/i18n/details';
import '../../../src/i18n/item';
import '../../../src/i18n/player';
import { afterEach, describe, expect, it } from 'vitest';
import { loadTexts } from '../../../src/pages/settings/texts';
import { t } from '../../../src/i18n';
import { ago, bytes, clock, day, dayName, span, yearText } from '../../../src/i18n/format';
import { factLines } from '../../../src/catalogue/fact-lines';
import { setLocale } from '../../../src/i18n/locale';
import { formOf } from '../../../src/catalogue/form';
import { placeOf } from '../../../src/shell/nav-entry';

await loadTexts();

describe('t', () => {
  it('selects the plural by the count', () => {
    expect(t('item.files.count', { count: 1 })).toBe('1 file');
    expect(t('item.files.count', { count: 0 })).toBe('0 files');
    expect(t('item.files.count', { count: 1284 })).toBe('1,284 files');
  });
  it('uses the only form', () => {
    expect(t('scan.updated', { count: 1 })).toBe('1 updated');
  });
  it('inserts values unchanged, and keeps unknown placeholders', () => {
    expect(t('play.tryOther', { name: 'a {b} c' })).toBe('Try a {b} c');
    expect(t('play.tryOther')).toBe('Try {name}');
  });
});

describe('clock', () => {
  it.each([
    [0, '0:00'],
    [59.9, '0:59'],
    [580, '9:40'],
    [3725, '1:02:05'],
    [36_000, '10:00:00'],
    [Number.NaN, '0:00'],
    [-3, '0:00'],
  ])('%f is %s', (seconds, text) => expect(clock(seconds)).toBe(text));
});

describe('span', () => {
  it.each([
    [38, '38 s'],
    [59.6, '60 s'],
    [240, '4 min'],
    [3599, '1 h'],
    [7200, '2 h'],
    [88_620, '24 h 37 min'],
  ])('%f is %s', (seconds, text) => expect(span(seconds)).toBe(text));
});

describe('years', () => {
  afterEach(() => setLocale('en'));
  it.each([
    ['en', -380, '380 BC'],
    ['en', -1, '1 BC'],
    ['en', -3000, '3000 BC'],
    ['en', 180, '180'],
    ['en', 2015, '2015'],
    ['de', -380, '380 v. Chr.'],
    ['de', 1815, '1815'],
  ] as const)('in %s, %i is %s', (language, year, text) => {
    setLocale(language);
    expect(yearText(year)).toBe(text);
  });
});

describe('bytes', () => {
  it.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [1_250_000, '1.3 MB'],
    [16_777_216, '17 MB'],
    [999_600, '1 MB'],
    [4_700_000_000, '4.7 GB'],
  ])('%i is %s', (size, text) => expect(bytes(size)).toBe(text));
});

describe('dates', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it('omits the current year', () => {
    expect(day('2026-03-12T09:00:00.000000Z', now)).toBe('12 March');
    expect(day('2025-03-12T09:00:00.000000Z', now)).toBe('12 March 2025');
    expect(day('', now)).toBe('');
  });
  it('names the last two days', () => {
    expect(dayName('2026-11-21T11:59:30.000000Z', now)).toBe('Today');
    expect(dayName('2026-11-20T11:59:30.000000Z', now)).toBe('Yesterday');
    expect(dayName('2026-11-19T11:59:30.000000Z', now)).toBe('19 November');
    expect(dayName('', now)).toBe('');
  });
  it('returns the elapsed time, then the date', () => {
    expect(ago('2026-11-21T11:59:30.000000Z', now)).toBe('30 seconds ago');
    expect(ago('2026-11-21T09:10:00.000000Z', now)).toBe('2 hours ago');
    expect(ago('2026-11-20T11:00:00.000000Z', now)).toBe('yesterday');
    expect(ago('2026-09-01T11:00:00.000000Z', now)).toBe('1 September');
  });
});

describe('factLines', () => {
  it('shows all facts of a kind', () => {
    expect(
      factLines({
        series_index: 2,
        isbn: '978',
        playable: true,
        language: 'de',
        tags: ['a', 'b'],
        deep: {},
      }),
    ).toEqual([
      { name: 'series_index', label: 'Series index', text: '2' },
      { name: 'isbn', label: 'ISBN', text: '978' },
      { name: 'language', label: 'Language', text: 'German' },
      { name: 'tags', label: 'Tags', text: 'a, b' },
    ]);
  });
  it('shows dates without times, and the reading direction', () => {
    expect(factLines({ date: '1999-05-04T00:00:00+00:00', direction: 'rtl', drm: true })).toEqual([
      { name: 'date', label: 'Date', text: '1999-05-04' },
      { name: 'direction', label: 'Direction', text: 'Right to left' },
      { name: 'drm', label: 'DRM', text: 'Yes' },
    ]);
    expect(factLines({ date: 'May 1999' })).toEqual([{ name: 'date', label: 'Date', text: 'May 1999' }]);
  });
  it('keeps an invalid language tag', () => {
    expect(factLines({ language: 'Old English?' })).toEqual([
      { name: 'language', label: 'Language', text: 'Old English?' },
    ]);
  });
  it('formats languages and sizes', () => {
    expect(factLines({ languages: ['en', 'ja'], rom_size: 2097152, tracks: 12 })).toEqual([
      { name: 'languages', label: 'Languages', text: 'English, Japanese' },
      { name: 'rom_size', label: 'ROM size', text: '2.1 MB' },
      { name: 'tracks', label: 'Tracks', text: '12' },
    ]);
  });
});

describe('audio facts', () => {
  it('use the usual terms', () => {
    const facts = { bitrate: 131676, sample_rate: 44100, channels: 6, bits_per_sample: 24, codec: 'vorbis' };
    expect(factLines(facts).map((line) => line.text)).toEqual([
      '132 kbit/s',
      '44.1 kHz',
      '5.1',
      '24 bit',
      'Vorbis',
    ]);
    expect(factLines({ channels: 1, album_gain: -9.27, album_peak: 0.98 }).map((line) => line.text)).toEqual([
      'Mono',
      '−9.3 dB',
    ]);
  });
  it('show the form by its own name, next to the title', () => {
    expect(formOf({ facts: { form: 'audiobook' } })).toBe('Audiobook');
    expect(formOf({ facts: {} })).toBeNull();
    expect(factLines({ form: 'album' })).toEqual([]);
  });
});

describe('facts of games', () => {
  it('name the platform once, and omit an absent chip', () => {
    expect(factLines({ platform: 'gb', platform_name: 'Game Boy', chr_size: 0, tv_system: 'NTSC' })).toEqual([
      { name: 'platform_name', label: 'Platform', text: 'Game Boy' },
      { name: 'tv_system', label: 'TV system', text: 'NTSC' },
    ]);
    expect(factLines({ platform: 'gb' })).toEqual([{ name: 'platform', label: 'Platform', text: 'gb' }]);
  });
});

describe('placeOf', () => {
  const unknown = () => null;
  it('returns the kind of an item once it is known', () => {
    expect(placeOf('/items/4', unknown)).toEqual({ at: 'library' });
    expect(placeOf('/items/4', () => 'herbarium')).toEqual({ at: 'kind', kind: 'herbarium' });
  });
  it('returns home, kinds and settings', () => {
    expect(placeOf('/', unknown)).toEqual({ at: 'home' });
    expect(placeOf('/library/books', unknown)).toEqual({ at: 'kind', kind: 'books' });
    expect(placeOf('/settings/users/3', unknown)).toEqual({ at: 'settings' });
    expect(placeOf('/nowhere', unknown)).toEqual({ at: 'elsewhere' });
  });
});
