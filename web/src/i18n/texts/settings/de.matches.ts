/** The German texts of matches at metadata providers. */
import type { Translation } from '../translation';
import type { enMatches } from './en.matches';

export const deMatches: Translation<typeof enMatches> = {
  'match.title': 'Metadaten',
  'match.about': 'Ergebnisse der Metadaten-Anbieter. Eigene Änderungen bleiben immer erhalten.',
  'match.nobody': 'Kein Metadaten-Anbieter unterstützt diesen Medientyp.',
  'match.ok': 'Gefunden',
  'match.notfound': 'Nicht gefunden',
  'match.failure': 'Keine Antwort',
  'match.chosen': 'von Hand gewählt',
  'match.unlink': 'Rückgängig',
  'match.unlinkOf': 'Die Zuordnung von {provider} rückgängig machen',
  'match.unlinked': 'Rückgängig gemacht. Von allein wird es nicht wieder so zugeordnet.',
  'match.again': 'Metadaten aktualisieren',
  'match.asking': 'Angefragt. Das Ergebnis erscheint hier.',
  'match.other': 'Eine andere Zuordnung wählen',
  'match.search': 'Suchen',
  'match.none': 'Nichts gefunden.',
  'match.take': 'Übernehmen',
  'match.takeOf': '{title} übernehmen',
  'match.taken': 'Übernommen.',
  'match.year': 'Jahr',
  'match.score': '{percent} % ähnlich',
  'match.unlike': 'Eine bekannte Angabe weicht ab',
  'match.changes': 'ändert {fields}',
  'match.field.title': 'Titel',
  'match.field.year': 'Jahr',
  'match.field.authors': 'Personen',
  'match.preview': 'Änderungen ansehen',
  'match.previewOf': 'Änderungen ansehen: {title}',
  'match.previewing': 'Die Anbieter werden gefragt…',
};
