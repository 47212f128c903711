/** The German texts of the upper part of an item's page. */
import type { Translation } from './translation';
import type { enItem } from './en.item';

export const deItem: Translation<typeof enItem> = {
  'item.former': 'Fortschrittsverlauf',
  'item.link': 'Weitere Form verknüpfen…',
  'item.metadata': 'Metadaten',
  'place.in': '{file}, {place}',
  'item.pages': { one: '{count} Seite', other: '{count} Seiten' },
  'item.files.count': { one: '{count} Datei', other: '{count} Dateien' },
  'item.tracks.count': { one: '{count} Titel', other: '{count} Titel' },
  'item.missing': 'Fehlt seit {when}.',
  'item.missing.text':
    'Die letzte Suche hat die Dateien nicht gefunden. Fortschritt und Favoriten bleiben erhalten, bis sie wieder da sind.',
  'item.open': 'Öffnen',
  'item.continue': 'Weiter',
  'item.continueWith': 'Weiter: {what}',
  'item.again': 'Noch einmal: {verb}',
  'item.startOver': 'Von vorn beginnen',
  'item.finish': 'Als beendet markieren',
  'item.unfinish': 'Als nicht beendet markieren',
  'item.forget': 'Fortschritt zurücksetzen',
  'item.favourite': 'Favorit',
  'item.more': 'Weitere Aktionen',
  'item.edit': 'Angaben bearbeiten',
  'item.cover': 'Titelbild ändern',
  'item.done': 'Erledigt: {what}',
  'plays.not': 'Läuft hier nicht',
  'plays.not.text':
    'Dieser Browser kann es nicht abspielen: {reason}. Du kannst es herunterladen oder in einem anderen Programm öffnen.',
  'item.saves': 'Frühere Spielstände',
};
