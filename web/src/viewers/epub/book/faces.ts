/** The typefaces of the reader, as CSS rules for the document of a page. */
import dyslexicBold from '@fontsource/opendyslexic/files/opendyslexic-latin-700-normal.woff2?url';
import dyslexicBoldItalic from '@fontsource/opendyslexic/files/opendyslexic-latin-700-italic.woff2?url';
import dyslexicItalic from '@fontsource/opendyslexic/files/opendyslexic-latin-400-italic.woff2?url';
import dyslexic from '@fontsource/opendyslexic/files/opendyslexic-latin-400-normal.woff2?url';
import sansExtended from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-ext-wght-normal.woff2?url';
import sans from '@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-normal.woff2?url';
import literataRanges from '@fontsource-variable/literata/unicode.json';
import sansRanges from '@fontsource-variable/instrument-sans/unicode.json';
import type { Reading } from './settings.svelte';

const ranges: Readonly<Record<string, string>> = literataRanges;
const literata = import.meta.glob<string>(
  '/node_modules/@fontsource-variable/literata/files/literata-*-wght-*.woff2',
  { query: '?url', import: 'default', eager: true },
);

interface Face {
  family: string;
  url: string;
  style?: string;
  weight?: string;
  range?: string | undefined;
}

function rule({ family, url, style = 'normal', weight = '400', range }: Face): string {
  // The document of a page has no base URL, so the address must be absolute.
  const source = new URL(url, document.baseURI).href;
  return `@font-face{font-family:"${family}";font-style:${style};font-weight:${weight};font-display:swap;src:url("${source}") format("woff2")${range ? `;unicode-range:${range}` : ''}}`;
}

function serif(): string {
  return Object.entries(literata)
    .map(([path, url]) => {
      const [, subset = '', style = 'normal'] = /literata-([\w-]+)-wght-(\w+)\.woff2$/.exec(path) ?? [];
      return rule({ family: 'Reader Serif', url, style, weight: '200 900', range: ranges[subset] });
    })
    .join('');
}

/** Returns the rules that load the typeface, and the font families; none for the typeface of the book. */
export function face(name: Reading['face']): { rules: string; family: string | null } {
  switch (name) {
    case 'serif':
      return { rules: serif(), family: '"Reader Serif", Georgia, serif' };
    case 'sans':
      return {
        rules:
          rule({ family: 'Reader Sans', url: sans, weight: '400 700', range: sansRanges.latin }) +
          rule({
            family: 'Reader Sans',
            url: sansExtended,
            weight: '400 700',
            range: sansRanges['latin-ext'],
          }),
        family: '"Reader Sans", system-ui, sans-serif',
      };
    case 'clear':
      return {
        rules:
          rule({ family: 'Reader Clear', url: dyslexic }) +
          rule({ family: 'Reader Clear', url: dyslexicItalic, style: 'italic' }) +
          rule({ family: 'Reader Clear', url: dyslexicBold, weight: '700' }) +
          rule({ family: 'Reader Clear', url: dyslexicBoldItalic, weight: '700', style: 'italic' }),
        family: '"Reader Clear", "Reader Sans", sans-serif',
      };
    case 'own':
      return { rules: '', family: null };
  }
}
