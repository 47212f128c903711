/** The German texts of the metadata settings. */
import type { Translation } from '../translation';
import type { enMetadata } from './en.metadata';

export const deMetadata: Translation<typeof enMetadata> = {
  'metadata.about':
    'Anbieter ergänzen Cover, Beschreibungen und Personen. Ledge verbindet sich nur mit einem Anbieter, wenn ein Administrator es verlangt, oder nach Scans, wenn du das einschaltest.',
  'metadata.lookups': 'Anfragen',
  'metadata.remote': 'Anfragen an entfernte Anbieter erlauben',
  'metadata.remote.hint':
    'Ohne dies wird kein Anbieter gefragt, auch nicht bei einem Klick auf „Metadaten aktualisieren“.',
  'metadata.afterScans': 'Metadaten nach jedem Scan anfragen',
  'metadata.afterScans.hint': 'Neue und geänderte Titel werden im Hintergrund nachgeschlagen.',
  'metadata.environment':
    'Durch {name} in der Umgebung des Servers festgelegt und deshalb hier nicht änderbar.',

  'metadata.languages': 'Sprachen',
  'metadata.languages.hint':
    'Titel und Beschreibungen kommen in der ersten dieser Sprachen, die ein Anbieter hat.',
  'metadata.languages.add': 'Sprache hinzufügen',
  'metadata.languages.remove': '{name} entfernen',

  'metadata.order': 'Reihenfolge',
  'metadata.order.hint': 'Ledge fragt die Anbieter eines Titels von oben nach unten, bis einer ihn kennt.',
  'metadata.order.of': 'Reihenfolge für {kind}',
  'metadata.order.off': 'aus',
  'metadata.order.incomplete': 'braucht einen Schlüssel',
  'metadata.up': '{name} nach oben',
  'metadata.down': '{name} nach unten',
  'metadata.moved': '{name} ist jetzt Nummer {n}.',

  'metadata.providers': 'Anbieter',
  'metadata.enabled': '{name} verwenden',
  'metadata.for': 'Für {kinds}',
  'metadata.local': 'Liest Dateien neben deinen Medien. Es wird nichts gesendet.',
  'metadata.sends': 'Ledge sendet an {hosts}: {data}.',
  'metadata.always':
    'Jede Anfrage enthält außerdem die Adresse dieses Servers und die Version von Ledge. Sie enthält nie Dateinamen, Pfade, Benutzer oder Fortschritt.',
  'metadata.pace': {
    one: 'Höchstens {count} Anfrage pro Sekunde an jeden Host.',
    other: 'Höchstens {count} Anfragen pro Sekunde an jeden Host.',
  },
  'metadata.sent.title': 'Titel',
  'metadata.sent.people': 'Autoren oder Interpreten',
  'metadata.sent.year': 'Jahr',
  'metadata.sent.isbn': 'ISBN',
  'metadata.sent.series': 'Reihe',
  'metadata.sent.platform': 'Plattform',
  'metadata.sent.external_ids': 'Kennungen in anderen Datenbanken',
  'metadata.sent.parts': 'Nummern, Titel und Längen von Folgen oder Stücken',
  'metadata.sent.languages': 'Sprachen',
  'metadata.address': 'Adresse',

  'metadata.key.set': 'Gespeichert. Ein neuer Wert ersetzt ihn.',
  'metadata.key.unreadable':
    'Der gespeicherte Wert lässt sich nicht entschlüsseln, weil die Schlüsseldatei des Servers ersetzt wurde. Gib ihn erneut ein.',
  'metadata.key.write': 'Ledge verschlüsselt den Wert und zeigt ihn nie wieder an.',
  'metadata.key.save': 'Speichern',
  'metadata.key.saveOf': '{name} speichern',
  'metadata.key.delete': 'Löschen',
  'metadata.key.deleteOf': '{name} löschen',
  'metadata.test': 'Testen',
  'metadata.test.key': 'Schlüssel testen',
  'metadata.test.running': 'Wird getestet …',
  'metadata.test.accepted': 'Es funktioniert.',
  'metadata.test.local': 'Es ist keine Verbindung nötig.',
  'metadata.test.incomplete': 'Ein Wert fehlt.',
  'metadata.test.off': 'Anfragen an entfernte Anbieter sind abgeschaltet.',
  'metadata.test.rejected': 'Der Anbieter lehnt den Schlüssel ab.',
  'metadata.test.limited': 'Der Anbieter nimmt zurzeit keine weiteren Anfragen an.',
  'metadata.test.limitedFor': {
    one: 'Der Anbieter nimmt {count} Minute lang keine weiteren Anfragen an.',
    other: 'Der Anbieter nimmt {count} Minuten lang keine weiteren Anfragen an.',
  },
  'metadata.test.timeout': 'Der Anbieter antwortet nicht.',

  'metadata.left': { one: 'Noch {count} Titel', other: 'Noch {count} Titel' },
  'metadata.progress': 'Bibliotheken',
  'metadata.progress.none': 'Es gibt noch keine Bibliotheken.',
};
