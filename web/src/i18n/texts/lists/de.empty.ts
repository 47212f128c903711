/** The German texts of empty lists of items. */
import type { Translation } from '../translation';
import type { enEmpty } from './en.empty';

export const deEmpty: Translation<typeof enEmpty> = {
  'empty.fresh.title': 'Noch keine Bibliotheken',
  'empty.fresh.text':
    'Füge einen Ordner mit Büchern, Musik, Filmen oder Spielen hinzu, dann erscheinen sie hier.',
  'empty.fresh.action': 'Ordner hinzufügen',
  'empty.scanning.title': 'Die erste Suche läuft',
  'empty.scanning.text': 'Titel erscheinen hier, sobald die Suche sie findet.',
  'empty.some.title': 'Noch nichts hier',
  'empty.admin.text':
    'Prüfe die Bibliotheken: Stimmen die Ordner, wurden sie durchsucht, und sind sie für dich freigegeben?',
  'empty.kind.title': 'Noch nichts hier: {kind}',
  'empty.kind.text': 'Was zu deinen Bibliotheken hinzukommt, erscheint hier.',
  'favourites.none.title': 'Noch keine Favoriten',
  'favourites.none.text': 'Das Herz auf der Seite eines Titels fügt ihn hier hinzu.',
  'empty.user.title': 'Für dich ist noch nichts freigegeben',
  'empty.user.text': 'Bitte die Person, die diesen Server betreibt, eine Bibliothek für dich freizugeben.',
};
