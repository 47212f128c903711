/** The German texts of the search page. */
import type { Translation } from '../translation';
import type { enSearch } from './en.search';

export const deSearch: Translation<typeof enSearch> = {
  'search.prompt.title': 'Was suchst du?',
  'search.prompt.text':
    'Gib einen Titel, einen Namen oder einen Teil davon ein. Die Treffer erscheinen, während du tippst.',
  'search.recent': 'Letzte Suchen',
  'search.results': { one: '{count} Treffer', other: '{count} Treffer' },
  'search.all': 'Alle',
  'search.more': { other: 'Alle {count} zeigen' },
  'search.moreOf': { other: 'Alle {count} zeigen: {what}' },
  'search.kinds': 'Treffer zeigen aus',
  'search.corrected': 'Treffer für „{q}“.',
  'search.exactly': 'Genau nach „{q}“ suchen',
  'search.exact': 'Nur genaue Treffer für „{q}“ werden gezeigt.',
  'search.similar': 'Ähnliche Wörter einbeziehen',
  'search.suggestions': 'Ähnliche Suchen',
};
