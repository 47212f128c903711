/** The German texts of entries of playlists and collections, and of the dialogs about them. */
import type { Translation } from '../../translation';
import type { enEntries } from './en.entries';

export const deEntries: Translation<typeof enEntries> = {
  'playlist.delete.title': 'Diese Playlist löschen?',
  'playlist.delete.text': '„{name}“ wird endgültig gelöscht. Die Dateien bleiben in deiner Bibliothek.',
  'playlist.delete.action': 'Löschen',
  'playlist.description': 'Beschreibung',
  'playlist.public': 'Öffentlich',
  'playlist.public.note':
    'Alle auf diesem Server können sie sehen. Jeder sieht nur Titel, die für ihn freigegeben sind.',
  'playlist.nameMissing': 'Gib einen Namen ein.',
  'playlist.entries': 'Einträge',
  'playlist.keys':
    'Ziehe einen Eintrag an seinem Griff, oder drücke Alt mit ↑ oder ↓ in seiner Zeile. Entf entfernt ihn. Das Menü enthält dieselben Aktionen.',
  'playlist.playHere': 'Ab hier abspielen',
  'playlist.up': 'Nach oben',
  'playlist.down': 'Nach unten',
  'playlist.first': 'An den Anfang',
  'playlist.last': 'Ans Ende',
  'playlist.remove': 'Aus der Playlist entfernen',
  'playlist.item': 'Zum Titel',
  'playlist.moved': '{title}: {n} von {of}',
  'playlist.removed': 'Entfernt: {title}',
  'playlist.undo': 'Rückgängig',
  'playlist.stale':
    'Ein anderes Gerät hat diese Playlist geändert. Deine letzte Änderung wurde nicht gespeichert.',
  'playlist.stale.edit':
    'Ein anderes Gerät hat diese Playlist inzwischen geändert. Prüfe die Angaben und speichere noch einmal.',
  'playlist.add.title': 'Zu Playlist hinzufügen: {title}',
  'playlist.add.search': 'Deine Playlists durchsuchen',
  'playlist.add.skip': 'Dateien auslassen, die schon in der Playlist sind',
  'playlist.add.newName': 'Name der neuen Playlist',
  'playlist.add.create': 'Anlegen und hinzufügen',
  'playlist.add.yours': 'Deine Playlists',
  'playlist.add.none': 'Du hast noch keine Playlists.',
  'playlist.added': {
    one: '{count} Eintrag zu {name} hinzugefügt.',
    other: '{count} Einträge zu {name} hinzugefügt.',
  },
  'playlist.addedNone': 'Nichts hinzugefügt: In {name} ist es schon.',
  'playlist.addedNothing': 'Nichts hinzugefügt: Es gibt keine abspielbare Datei.',
  'playlist.skipped': {
    one: '{count} war schon darin.',
    other: '{count} waren schon darin.',
  },
  'playlist.open': 'Öffnen',
  'collection.keys':
    'Ziehe einen Titel an seinem Griff, oder drücke auf ihm Alt mit einer Pfeiltaste. Entf entfernt ihn. Das Menü enthält dieselben Aktionen.',
  'collection.delete.title': 'Diese Sammlung löschen?',
  'collection.delete.text': '„{name}“ wird endgültig gelöscht. Die Titel bleiben in deiner Bibliothek.',
  'collection.earlier': 'Nach vorn',
  'collection.later': 'Nach hinten',
  'collection.remove': 'Aus der Sammlung entfernen',
  'collection.stale':
    'Ein anderes Gerät hat diese Sammlung geändert. Deine letzte Änderung wurde nicht gespeichert.',
  'collection.stale.edit':
    'Ein anderes Gerät hat diese Sammlung inzwischen geändert. Prüfe sie und speichere noch einmal.',
  'collection.add.title': 'Zu Sammlung hinzufügen: {title}',
  'collection.add.search': 'Deine Sammlungen durchsuchen',
  'collection.add.newName': 'Name der neuen Sammlung',
  'collection.add.yours': 'Deine Sammlungen',
  'collection.add.none': 'Du hast noch keine Sammlung, die du füllen kannst.',
  'collection.added': {
    one: '{count} Titel zu {name} hinzugefügt.',
    other: '{count} Titel zu {name} hinzugefügt.',
  },
  'collection.empty.title': 'Diese Sammlung ist leer',
  'collection.empty.text': '„Zu Sammlung hinzufügen“ findest du im Menü jedes Titels.',
  'collection.empty.smart': 'Zurzeit passt kein Titel zur Regel.',
  'collection.empty.others': 'Du kannst keinen ihrer Titel sehen.',
};
