/** The style sheets before and after those of the book, made from the user's settings. */
import { PAPERS } from '../../reading/support/papers';
import { face } from './faces';
import type { Reading } from './settings.svelte';

const BASE = 18;

const MARGIN = {
  narrow: { gap: 5, column: 720, block: 14 },
  medium: { gap: 8, column: 590, block: 22 },
  wide: { gap: 11, column: 500, block: 40 },
} as const;

/** Attributes of the paginator. */
export function layout({ margins, flow, size }: Reading): Record<string, string> {
  const { gap, column, block } = MARGIN[margins];
  // A line has the same number of letters at any size, until two columns do not fit.
  const width = Math.round(column * Math.min(1.6, Math.max(1, size / 100)));
  return {
    flow: flow === 'scroll' ? 'scrolled' : 'paginated',
    gap: `${gap}%`,
    margin: `${block}px`,
    'max-inline-size': `${width}px`,
    'max-block-size': '1400px',
    'max-column-count': '2',
  };
}

/** Style sheets before and after those of the book. */
export function styles(reading: Reading): [string, string] {
  const { ink, page, link, dark } = PAPERS[reading.paper];
  const { rules, family } = face(reading.face);
  const below = `
    ${rules}
    html { font-family: ${family ?? 'Georgia, serif'}; }
    p, li, blockquote, dd { text-align: ${reading.justify ? 'justify' : 'start'}; }
    img, svg, video { max-width: 100%; height: auto; }
  `;
  const above = `
    html {
      --theme-bg-color: ${page};
      --reader-align: ${reading.justify ? 'justify' : 'start'};
      color-scheme: ${dark ? 'dark' : 'light'};
      background: ${page} !important;
      color: ${ink} !important;
      font-size: ${(BASE * reading.size) / 100}px !important;
      line-height: ${reading.line};
      -webkit-text-size-adjust: none;
      text-size-adjust: none;
    }
    body { background: none !important; color: inherit !important; font-size: 1rem !important; }
    p, li, dd, blockquote { line-height: ${reading.line} !important; }
    p, li, dd, blockquote {
      hyphens: ${reading.justify ? 'auto' : 'manual'};
      -webkit-hyphens: ${reading.justify ? 'auto' : 'manual'};
      hyphenate-limit-chars: 6 3 3;
      orphans: 2;
      widows: 2;
      hanging-punctuation: allow-end last;
    }
    h1, h2, h3, h4, h5, h6 { hyphens: manual; text-wrap: balance; break-after: avoid; }
    [align="left"] { text-align: left; }
    [align="right"] { text-align: right; }
    [align="center"] { text-align: center; }
    pre { white-space: pre-wrap !important; overflow-wrap: anywhere; }
    a:any-link { color: ${link}; text-underline-offset: 0.14em; text-decoration-thickness: 1px; }
    ::selection { background: color-mix(in oklab, ${link} 34%, transparent); }
    :focus-visible { outline: 2px solid ${link}; outline-offset: 2px; }
    ${family === null ? '' : TEXT(family)}
    ${dark ? DARK : ''}
  `;
  return [below, above];
}

const TEXT = (family: string) => `
    body, p, li, dd, dt, blockquote, div, section, article, td, th, figcaption, aside, h1, h2, h3, h4, h5, h6,
    :is(p, li, dd, dt, blockquote, div, td, th, h1, h2, h3, h4, h5, h6) :is(span, a, i, b, em, strong, cite, small) {
      font-family: ${family} !important;
    }
`;

/** Colours that a book sets for a white page are unreadable on a dark one. */
const DARK = `
    body *:not(a, a *, svg, svg *, img, video) {
      color: inherit !important;
      background-color: transparent !important;
      border-color: currentcolor !important;
      text-shadow: none !important;
    }
`;
