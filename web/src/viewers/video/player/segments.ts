/** Chapters that users skip: the name of a chapter states that it is an intro, a recap or the credits. */

export type Segment = 'intro' | 'recap' | 'credits' | 'preview';

/** Complete names, in lower case without punctuation. Releases of animation use OP and ED. */
const NAMES: Readonly<Record<Segment, readonly string[]>> = {
  intro: [
    ...[
      'intro',
      'intros',
      'op',
      'opening',
      'opening credits',
      'opening titles',
      'opening theme',
      'opening song',
    ],
    ...[
      'title sequence',
      'title card',
      'titles',
      'main title',
      'main titles',
      'theme song',
      'intro sequence',
    ],
    ...['vorspann', 'titelsequenz', 'titellied', 'vorspann und titel'],
    ...['generique', 'generique de debut', 'generique d ouverture', 'cabecera', 'sigla', 'sigla iniziale'],
  ],
  recap: [
    ...['recap', 'recaps', 'previously', 'story so far', 'the story so far', 'last time', 'last episode'],
    ...[
      'ruckblick',
      'ruckblende',
      'zusammenfassung',
      'was bisher geschah',
      'bisher',
      'resume',
      'resumen',
      'riassunto',
    ],
  ],
  credits: [
    ...[
      'credits',
      'end credits',
      'closing credits',
      'end titles',
      'closing titles',
      'closing',
      'final credits',
    ],
    ...[
      'ed',
      'ending',
      'ending credits',
      'ending theme',
      'ending song',
      'outro',
      'credit roll',
      'credits roll',
    ],
    ...[
      'abspann',
      'nachspann',
      'generique de fin',
      'creditos',
      'creditos finales',
      'titoli di coda',
      'aftertiteling',
    ],
  ],
  preview: [
    ...['preview', 'next episode', 'next episode preview', 'next time', 'next week', 'coming up'],
    ...['vorschau', 'in der nachsten folge', 'nachste folge', 'prochainement', 'avance'],
  ],
};

/** Beginnings of longer names. */
const BEGINNINGS: readonly [string, Segment][] = [
  ['previously on', 'recap'],
  ['previously in', 'recap'],
  ['was bisher geschah', 'recap'],
  ['bisher bei', 'recap'],
  ['precedemment dans', 'recap'],
  ['next time on', 'preview'],
  ['next on', 'preview'],
];

const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([segment, names]) =>
    names.map((name) => [name, segment as Segment] as const),
  ),
);

/** Returns the segment that a chapter's name states; null for any other chapter. */
export function segmentOf(title: string): Segment | null {
  const name = plain(title);
  const found = BY_NAME.get(name) ?? BY_NAME.get(name.replace(/ \d+$/, ''));
  return found ?? BEGINNINGS.find(([start]) => name.startsWith(start))?.[1] ?? null;
}

/** Removes accents, punctuation, and the number of the chapter at the start. */
function plain(title: string): string {
  return title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/^(?:(?:chapter|kapitel|chapitre|part|teil) )?\d+ (?=\p{L})/u, '');
}
