/** The four papers for reading: colours of the page and of the controls around it. */
export const PAPERS = {
  white: {
    dark: false,
    page: '#ffffff',
    ink: '#1d2021',
    soft: '#5b6164',
    panel: '#ffffff',
    well: '#f0f1f1',
    line: '#dfe1e2',
    link: '#1a4f7a',
  },
  cream: {
    dark: false,
    page: '#faf3e7',
    ink: '#2f2820',
    soft: '#6a5e50',
    panel: '#fffcf3',
    well: '#f1ebe0',
    line: '#ddd4c3',
    link: '#7a4a12',
  },
  dusk: {
    dark: true,
    page: '#323d45',
    ink: '#e9e6df',
    soft: '#b9c1c3',
    panel: '#3a464f',
    well: '#2b353c',
    line: '#51606a',
    link: '#a9cdea',
  },
  night: {
    dark: true,
    page: '#0a0d0f',
    ink: '#c3c1bb',
    soft: '#949a9d',
    panel: '#171c1f',
    well: '#22292d',
    line: '#353d42',
    link: '#93b7d6',
  },
} as const;

export type PaperName = keyof typeof PAPERS;

/** Colours of the interface that match a paper. */
export function paperStyle(name: PaperName): string {
  const { page, ink, soft, panel, well, line } = PAPERS[name];
  const set = {
    '--bg': page,
    '--bg-2': panel,
    '--bg-3': well,
    '--line': line,
    '--edge': soft,
    '--tx': ink,
    '--tx-2': soft,
    '--tx-3': soft,
    '--accent': ink,
    '--on-accent': page,
    '--accent-tx': ink,
    '--progress': ink,
  };
  return Object.entries(set)
    .map(([property, value]) => `${property}:${value}`)
    .join(';');
}
