/** The German texts of the filters of item lists. */
import type { Translation } from '../translation';
import type { enFilters } from './en.filters';

export const deFilters: Translation<typeof enFilters> = {
  'filters.chosen': 'Aktive Filter',
  'filters.remove': 'Filter entfernen: {name}',
  'filters.close': 'Filter schließen',
  'filters.save': 'Als Sammlung speichern',
  'filters.type': 'Art',
  'filters.genre': 'Genre',
  'filters.tag': 'Schlagwort',
  'filters.language': 'Sprache',
  'filters.decade': 'Jahrzehnt',
  'filters.decade.from': 'Jahrzehnt: von',
  'filters.decade.to': 'Jahrzehnt: bis',
  'filters.decadeOf': '{decade}er',
  'filters.rating': 'Meine Bewertung',
  'filters.rating.any': 'Alle',
  'filters.rating.text': '{rating} oder mehr',
  'filters.rated': 'Bewertung {rating} oder mehr',
  'filters.state': 'Stand',
  'filters.plays.text': 'Titel, die dieser Browser ohne Umwandlung abspielt.',
  'filters.all': { one: 'Alle {count} Werte zeigen', other: 'Alle {count} Werte zeigen' },
  'filters.fewer': 'Weniger zeigen',
  'filters.about': 'etwa {count}',
  'filters.years': '{from} bis {to}',
  'filters.from': 'Ab {year}',
  'filters.to': 'Bis {year}',
  'filters.show': { one: '{count} Titel zeigen', other: '{count} Titel zeigen' },
  'filters.none': 'Keine Filter verfügbar.',
};
