/** The German texts of shows by season, and of the pages of series. */
import type { Translation } from '../translation';
import type { enShows } from './en.shows';

export const deShows: Translation<typeof enShows> = {
  'show.seasons': 'Staffeln',
  'show.poster': 'Poster: {season}',
  'show.episodes': 'Folgen: {season}',
  'show.watchedOf': '{n} von {of}',
  'show.watched': 'Gesehen',
  'show.mark': 'Als gesehen markieren',
  'show.unmark': 'Als ungesehen markieren',
  'show.markOf': 'Als gesehen markieren: {name}',
  'show.unmarkOf': 'Als ungesehen markieren: {name}',
  'show.until': 'Bis hier markieren',
  'show.untilOf': 'Bis hier markieren: {name}',
  'show.markSeason': 'Staffel als gesehen markieren',
  'show.unmarkSeason': 'Staffel als ungesehen markieren',
  'show.marked': {
    one: '{count} Folge als gesehen markiert.',
    other: '{count} Folgen als gesehen markiert.',
  },
  'show.unmarked': {
    one: '{count} Folge als ungesehen markiert.',
    other: '{count} Folgen als ungesehen markiert.',
  },
  'show.undo': 'Rückgängig',
  'show.undone': 'Rückgängig gemacht.',
  'show.dismiss': 'Schließen',
  'show.range': '{from}–{to}',
  'show.aired': 'Ausgestrahlt am {date}',
  'show.absent': 'Nicht in deiner Bibliothek',
  'show.gone': 'Die Datei wurde bei der letzten Suche nicht gefunden',
  'show.more': 'Mehr zu {name}',
  'show.download': 'Herunterladen',
  'series.eyebrow': 'Reihe',
  'series.items': 'Werke nach Nummer',
  'series.number': 'Nummer {n}',
  'series.continue': 'Weiter mit {name}',
  'series.next': 'Als Nächstes: {name}',
  'series.first': 'Anfangen mit {name}',
  'series.here': 'Hier weiter',
  'series.isNext': 'Als Nächstes',
  'series.count': { one: '{count} Werk', other: '{count} Werke' },
  'series.missing': {
    one: '{count} nicht in deiner Bibliothek',
    other: '{count} nicht in deiner Bibliothek',
  },
};
